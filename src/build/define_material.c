// The tables of materials and solids.
#include "build/definition.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))
#define DIM_PRESSURE DIM(-1, 1, -2)
#define DIM_DENSITY DIM(-3, 1, 0)

#define AT(field) offsetof(carom_material_def, field)
static const option material_options[] = {
    {.key = "restitution", .type = OPTION_NUMBER, .offset = AT(restitution), .dim = DIM_NONE,
     .flags = OPTION_NOT_NEGATIVE | OPTION_AT_MOST_ONE, .preset = "0", .help = "Newton's coefficient of an impact."},
    {.key = "restitution_is", .type = OPTION_WORD, .offset = AT(restitution_is), .preset = "nominal",
     .words = "nominal|achieved",
     .help = "Of a force law: whether its formula is given the restitution (what comes out differs, see `carom laws`), or "
             "whether the restitution is to come out."},
    {.key = "tangential_restitution", .type = OPTION_NUMBER, .offset = AT(tangential_restitution), .dim = DIM_NONE,
     .flags = OPTION_NOT_NEGATIVE | OPTION_AT_MOST_ONE, .preset = "0", .help = "The same along the surface; rigid methods."},
    {.key = "friction", .type = OPTION_NUMBER, .offset = AT(friction), .dim = DIM_NONE, .flags = OPTION_NOT_NEGATIVE,
     .preset = "0", .help = "Coulomb's coefficient, while sliding."},
    {.key = "law", .type = OPTION_TEXT, .offset = AT(law), .preset = "lankarani-nikravesh",
     .help = "Law of the normal force in continuous contact, one of `carom list laws`."},
    {.key = "stiffness", .type = OPTION_NUMBER, .offset = AT(stiffness), .dim = DIM_ANY, .flags = OPTION_POSITIVE,
     .help = "K of K δⁿ, in N/m to the power of n; default: from the solids and the radii."},
    {.key = "exponent", .type = OPTION_NUMBER, .offset = AT(exponent), .dim = DIM_NONE, .flags = OPTION_POSITIVE,
     .help = "n of K δⁿ; default 1.5, of the linear laws always 1."},
    {.key = "damping", .type = OPTION_NUMBER, .offset = AT(damping), .dim = DIM_DAMPING, .flags = OPTION_POSITIVE,
     .help = "Of law kelvin-voigt."},
    {.key = "pulls", .type = OPTION_FLAG, .offset = AT(pulls), .preset = "false",
     .help = "Whether the normal force may be negative where its formula is; else it is cut at zero."},
    {.key = "force", .type = OPTION_FUNCTION, .offset = AT(force), .dim = DIM_FORCE,
     .help = "Of law expression: the force over `delta` (penetration), `rate` (of it) and `approach` (speed at the touch)."},
    {.key = "solid", .type = OPTION_NAMES, .offset = AT(solid),
     .help = "What both surfaces are made of, or each: one or two of `carom list solids` or of the section `solids`."},
    {.key = "young", .type = OPTION_NUMBERS, .offset = AT(young), .dim = DIM_PRESSURE, .flags = OPTION_POSITIVE,
     .help = "Young's modulus in place of a solid: one number, or one a surface."},
    {.key = "poisson", .type = OPTION_NUMBERS, .offset = AT(poisson), .dim = DIM_NONE,
     .help = "Poisson's ratio beside it."},
    {.key = "length", .type = OPTION_NUMBER, .offset = AT(length), .dim = DIM_LENGTH, .flags = OPTION_POSITIVE,
     .help = "Of a line contact (johnson, esdu-78035): how long the line is."},
    {.key = "friction_law", .type = OPTION_TEXT, .offset = AT(friction_law), .preset = "brown-mcphee",
     .help = "Law of friction in continuous contact, one of `carom list laws`."},
    {.key = "static_friction", .type = OPTION_NUMBER, .offset = AT(static_friction), .dim = DIM_NONE,
     .flags = OPTION_NOT_NEGATIVE, .help = "Coefficient before sliding begins; default: `friction`. Continuous contact."},
    {.key = "v0", .type = OPTION_NUMBER, .offset = AT(v0), .dim = DIM_SPEED, .flags = OPTION_POSITIVE, .preset = "1 mm/s",
     .help = "Speed of the regularisation, as each friction law says: a body at rest creeps slower than it."},
    {.key = "v1", .type = OPTION_NUMBER, .offset = AT(v1), .dim = DIM_SPEED, .flags = OPTION_POSITIVE, .preset = "10 mm/s",
     .help = "Of friction law ambrosio: speed of full friction."},
    {.key = "stribeck", .type = OPTION_NUMBER, .offset = AT(stribeck), .dim = DIM_SPEED, .flags = OPTION_POSITIVE,
     .preset = "10 mm/s", .help = "Speed at which static friction has mostly gone over into kinetic."},
    {.key = "stribeck_exponent", .type = OPTION_NUMBER, .offset = AT(stribeck_exponent), .dim = DIM_NONE,
     .flags = OPTION_POSITIVE, .preset = "2", .help = "How abruptly."},
    {.key = "viscous", .type = OPTION_NUMBER, .offset = AT(viscous), .dim = DIM_DAMPING, .flags = OPTION_NOT_NEGATIVE,
     .preset = "0", .help = "Viscous friction of laws stribeck, brown-mcphee and lugre."},
    {.key = "bristle_stiffness", .type = OPTION_NUMBER, .offset = AT(bristle_stiffness), .dim = DIM(-1, 0, 0),
     .flags = OPTION_POSITIVE, .preset = "1e5", .help = "σ0 of laws dahl and lugre, per newton of load."},
    {.key = "bristle_damping", .type = OPTION_NUMBER, .offset = AT(bristle_damping), .dim = DIM(-1, 0, 1),
     .flags = OPTION_NOT_NEGATIVE, .preset = "20", .help = "σ1 of law lugre, per newton of load."},
    {.key = "dahl_exponent", .type = OPTION_NUMBER, .offset = AT(dahl_exponent), .dim = DIM_NONE, .flags = OPTION_POSITIVE,
     .preset = "1", .help = "Shape of Dahl's curve."},
    {.key = "coefficient", .type = OPTION_FUNCTION, .offset = AT(coefficient), .dim = DIM_NONE,
     .help = "Of friction law expression: the coefficient over `speed` and `fn` (normal force), 0 at rest to be "
             "continuous."},
};
const option_table material_table = {
    .name = "material",
    .summary = "How two surfaces meet. Rigid methods read the restitutions and `friction`; continuous contact also the laws.",
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
     .preset = "0", .help = "Density; for the record."},
};
const option_table solid_table = {
    .name = "solid", .summary = "An elastic solid. The common ones are there already: `carom list solids`.",
    .example = "mine: {young: 3 GPa, poisson: 0.4, density: 1200}", .size = sizeof(carom_solid_def),
    .options = solid_options, .count = COUNT(solid_options)};
