// A moving picture from WebP pictures of one size: an animated WebP file, which every browser shows. The data of the pictures is taken over as it is.

function chunk(type, data) {
  const all = Buffer.alloc(8 + data.length + (data.length & 1));   // of even length
  all.write(type, 0, 'latin1');
  all.writeUInt32LE(data.length, 4);
  data.copy(all, 8);
  return all;
}

const threeBytes = (...values) => {
  const data = Buffer.alloc(3 * values.length);
  values.forEach((v, i) => data.writeUIntLE(v, 3 * i, 3));
  return data;
};

// The chunks of a picture, without what is about the file as a whole.
function pictureOf(webp) {
  const parts = [];
  for (let at = 12; at < webp.length;) {
    const length = 8 + webp.readUInt32LE(at + 4), even = length + (length & 1);
    if (['VP8 ', 'VP8L', 'ALPH'].includes(webp.toString('latin1', at, at + 4))) parts.push(webp.subarray(at, at + even));
    at += even;
  }
  return Buffer.concat(parts);
}

export function animate(pictures, width, height, milliseconds) {
  const ANIMATED = 2;
  const frames = pictures.map((webp) => chunk('ANMF', Buffer.concat([threeBytes(0, 0, width - 1, height - 1, milliseconds), Buffer.of(0), pictureOf(webp)])));
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), chunk('VP8X', Buffer.concat([Buffer.of(ANIMATED, 0, 0, 0), threeBytes(width - 1, height - 1)])),
    chunk('ANIM', Buffer.from([255, 255, 255, 255, 0, 0])), ...frames]);   // on white, without end
  return chunk('RIFF', body);
}
