// Colours of the style sheet as a shader takes them.
import { Color } from 'three';

const plain = (text) => new Color(text).convertLinearToSRGB();

// As it is shown, `share` of the way from one colour to another.
export const mixed = (a, b, share = 0) => plain(a).lerp(plain(b), share);

// Linear, as light.js takes it: the square stands for the display's curve.
export const squared = ({ r, g, b }) => new Color(r * r, g * g, b * b);
