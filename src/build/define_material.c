// The tables of materials and solids.
#include "build/definition.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))
#define DIM_PRESSURE DIM(-1, 1, -2)

#define AT(field) offsetof(carom_material_def, field)
static const option material_options[] = {
    {.key = "restitution", .type = OPTION_NUMBER, .offset = AT(restitution), .dim = DIM_NONE,
     .flags = OPTION_NOT_NEGATIVE | OPTION_AT_MOST_ONE, .preset = "0", .help = "Coefficient of restitution."},
    {.key = "restitution_is", .type = OPTION_WORD, .offset = AT(restitution_is), .preset = "nominal",
     .words = "nominal|achieved",
     .help = "With a force law: `nominal` puts the restitution into its formula (the result differs, see `carom laws`); "
             "`achieved` chooses the damping so that an impact has this restitution."},
    {.key = "tangential_restitution", .type = OPTION_NUMBER, .offset = AT(tangential_restitution), .dim = DIM_NONE,
     .flags = OPTION_NOT_NEGATIVE | OPTION_AT_MOST_ONE, .preset = "0",
      .help = "Tangential restitution; only methods with rigid contact."},
    {.key = "friction", .type = OPTION_NUMBER, .offset = AT(friction), .dim = DIM_NONE, .flags = OPTION_NOT_NEGATIVE,
     .preset = "0", .help = "Coefficient of sliding friction."},
    {.key = "rolling_friction", .type = OPTION_NUMBER, .offset = AT(rolling_friction), .dim = DIM_LENGTH, .flags = OPTION_NOT_NEGATIVE,
     .preset = "0", .help = "Rolling friction: the largest moment against rolling over the normal force."},
    {.key = "spinning_friction", .type = OPTION_NUMBER, .offset = AT(spinning_friction), .dim = DIM_LENGTH, .flags = OPTION_NOT_NEGATIVE,
     .preset = "0", .help = "Spinning friction: the largest moment against turning about the normal over the normal force; spatial models."},
    {.key = "law", .type = OPTION_TEXT, .offset = AT(law), .preset = "lankarani-nikravesh",
     .help = "Law of the normal force in continuous contact, one of `carom list laws`."},
    {.key = "stiffness", .type = OPTION_NUMBER, .offset = AT(stiffness), .dim = DIM_ANY, .flags = OPTION_POSITIVE,
     .help = "K of K δⁿ, in N/m to the power of n; default: from the solids and the radii."},
    {.key = "foundation", .type = OPTION_NUMBER, .offset = AT(foundation), .dim = DIM(-2, 1, -2), .flags = OPTION_POSITIVE,
     .help = "Continuous contact of flat faces: stiffness per area. The pressure is this times the depth of the overlap."},
    {.key = "exponent", .type = OPTION_NUMBER, .offset = AT(exponent), .dim = DIM_NONE, .flags = OPTION_POSITIVE,
     .help = "n of K δⁿ; default 1.5, and always 1 for linear laws."},
    {.key = "damping", .type = OPTION_NUMBER, .offset = AT(damping), .dim = DIM_DAMPING, .flags = OPTION_POSITIVE,
     .help = "Damping of law kelvin-voigt."},
    {.key = "pulls", .type = OPTION_FLAG, .offset = AT(pulls), .preset = "false",
     .help = "Keep negative values of the normal force; otherwise they are set to zero."},
    {.key = "force", .type = OPTION_FUNCTION, .offset = AT(force), .dim = DIM_FORCE,
     .help = "Law expression: the force over `delta` (penetration), `rate` (its rate) and `approach` (approach speed "
             "at first contact)."},
    {.key = "solid", .type = OPTION_NAMES, .offset = AT(solid),
     .help = "Solid of both surfaces, or one per surface: from `carom list solids` or the section `solids`."},
    {.key = "young", .type = OPTION_NUMBERS, .offset = AT(young), .dim = DIM_PRESSURE, .flags = OPTION_POSITIVE,
     .help = "Young's modulus instead of a solid: one number, or one per surface."},
    {.key = "poisson", .type = OPTION_NUMBERS, .offset = AT(poisson), .dim = DIM_NONE,
     .help = "Poisson's ratio, with `young`."},
    {.key = "length", .type = OPTION_NUMBER, .offset = AT(length), .dim = DIM_LENGTH, .flags = OPTION_POSITIVE,
     .help = "Length of a line contact (laws johnson, esdu-78035)."},
    {.key = "friction_law", .type = OPTION_TEXT, .offset = AT(friction_law), .preset = "brown-mcphee",
     .help = "Law of friction in continuous contact, one of `carom list laws`."},
    {.key = "static_friction", .type = OPTION_NUMBER, .offset = AT(static_friction), .dim = DIM_NONE,
     .flags = OPTION_NOT_NEGATIVE, .help = "Coefficient before sliding begins; default: `friction`. Continuous contact."},
    {.key = "v0", .type = OPTION_NUMBER, .offset = AT(v0), .dim = DIM_SPEED, .flags = OPTION_POSITIVE, .preset = "1 mm/s",
     .help = "Regularisation speed of the friction law; a body at rest creeps with less than this speed."},
    {.key = "v1", .type = OPTION_NUMBER, .offset = AT(v1), .dim = DIM_SPEED, .flags = OPTION_POSITIVE, .preset = "10 mm/s",
     .help = "Friction law ambrosio: speed at which friction reaches its full value."},
    {.key = "stribeck", .type = OPTION_NUMBER, .offset = AT(stribeck), .dim = DIM_SPEED, .flags = OPTION_POSITIVE,
     .preset = "10 mm/s", .help = "Stribeck speed: scale of the transition from static to sliding friction."},
    {.key = "stribeck_exponent", .type = OPTION_NUMBER, .offset = AT(stribeck_exponent), .dim = DIM_NONE,
     .flags = OPTION_POSITIVE, .preset = "2", .help = "Exponent of the Stribeck curve."},
    {.key = "viscous", .type = OPTION_NUMBER, .offset = AT(viscous), .dim = DIM_DAMPING, .flags = OPTION_NOT_NEGATIVE,
     .preset = "0", .help = "Viscous friction of laws stribeck, brown-mcphee and lugre."},
    {.key = "bristle_stiffness", .type = OPTION_NUMBER, .offset = AT(bristle_stiffness), .dim = DIM(-1, 0, 0),
     .flags = OPTION_POSITIVE, .preset = "1e5", .help = "σ0 of laws dahl and lugre, per newton of load."},
    {.key = "bristle_damping", .type = OPTION_NUMBER, .offset = AT(bristle_damping), .dim = DIM(-1, 0, 1),
     .flags = OPTION_NOT_NEGATIVE, .preset = "20", .help = "σ1 of law lugre, per newton of load."},
    {.key = "dahl_exponent", .type = OPTION_NUMBER, .offset = AT(dahl_exponent), .dim = DIM_NONE, .flags = OPTION_POSITIVE,
     .preset = "1", .help = "Exponent of Dahl's curve."},
    {.key = "coefficient", .type = OPTION_FUNCTION, .offset = AT(coefficient), .dim = DIM_NONE,
     .help = "Friction law expression: the coefficient over `speed` and `fn` (normal force), 0 at rest to be "
             "continuous."},
};
const option_table material_table = {
    .name = "material",
    .summary = "Contact properties of two surfaces. Methods with rigid contact use the restitutions and `friction`; "
               "continuous contact also uses the laws.",
    .example = "steel: {restitution: 0.8, friction: 0.15, law: flores, solid: [steel, bronze]}",
    .size = sizeof(carom_material_def), .options = material_options, .count = COUNT(material_options)};
#undef AT

#define AT(field) offsetof(carom_solid_def, field)
static const option solid_options[] = {
    {.key = "young", .type = OPTION_NUMBER, .offset = AT(young), .dim = DIM_PRESSURE,
     .flags = OPTION_REQUIRED | OPTION_POSITIVE, .help = "Young's modulus."},
    {.key = "poisson", .type = OPTION_NUMBER, .offset = AT(poisson), .dim = DIM_NONE, .flags = OPTION_REQUIRED,
     .help = "Poisson's ratio, above -1 and at most 0.5."},
    {.key = "density", .type = OPTION_NUMBER, .offset = AT(density), .dim = DIM_DENSITY, .flags = OPTION_NOT_NEGATIVE,
     .preset = "0", .help = "Density, for bodies that name the solid."},
};
const option_table solid_table = {
    .name = "solid", .summary = "An elastic solid. Common solids are built in: `carom list solids`.",
    .example = "mine: {young: 3 GPa, poisson: 0.4, density: 1200}", .size = sizeof(carom_solid_def),
    .options = solid_options, .count = COUNT(solid_options)};
