// The tables of flexible bodies: beams, their modes and their damping.
#include "build/definition.h"

#define DIM_PRESSURE      DIM(-1, 1, -2)
#define DIM_AREA          DIM(2, 0, 0)
#define DIM_SECOND_MOMENT DIM(4, 0, 0)

// What a beam and a planar solid are made of; both structs have these fields.
#define MATERIAL_OPTIONS                                                                                       \
  {.key = "young",                                                                                             \
   .type = OPTION_NUMBER,                                                                                      \
   .offset = AT(young),                                                                                        \
   .dim = DIM_PRESSURE,                                                                                        \
   .flags = OPTION_POSITIVE,                                                                                   \
   .help = "Young's modulus."},                                                                                \
      {.key = "poisson",                                                                                       \
       .type = OPTION_NUMBER,                                                                                  \
       .offset = AT(poisson),                                                                                  \
       .dim = DIM_NONE,                                                                                        \
       .flags = OPTION_NOT_NEGATIVE,                                                                           \
       .preset = "0.3",                                                                                        \
       .help = "Poisson's ratio, at most 0.5 and in plane strain below it; of a beam for shear and twist."},   \
      {.key = "density",                                                                                       \
       .type = OPTION_NUMBER,                                                                                  \
       .offset = AT(density),                                                                                  \
       .dim = DIM_DENSITY,                                                                                     \
       .flags = OPTION_POSITIVE,                                                                               \
       .help = "Density. Mass, mass centre and inertia of the body follow from it."},                          \
  {                                                                                                            \
    .key = "solid", .type = OPTION_TEXT, .offset = AT(solid),                                                  \
    .help =                                                                                                    \
        "Instead of `young`, `poisson` and `density`: a solid that has them, from `carom list solids` or the " \
        "section `solids`."                                                                                    \
  }

#define AT(field) offsetof(carom_section_def, field)
static const option section_options[] = {
    {.key = "area",
     .type = OPTION_FUNCTION,
     .offset = AT(area),
     .dim = DIM_AREA,
     .flags = OPTION_REQUIRED | OPTION_POSITIVE,
     .help = "Area."},
    {.key = "second_moment",
     .type = OPTION_FUNCTION,
     .offset = AT(second_moment),
     .dim = DIM_SECOND_MOMENT,
     .flags = OPTION_REQUIRED | OPTION_POSITIVE,
     .help = "Second moment of area about z, ∫y² dA, which resists bending along y."},
    {.key = "second_moment_z",
     .type = OPTION_FUNCTION,
     .offset = AT(second_moment_z),
     .dim = DIM_SECOND_MOMENT,
     .flags = OPTION_POSITIVE,
     .help = "In space: ∫z² dA, which resists bending along z; default: `second_moment`."},
    {.key = "torsion",
     .type = OPTION_FUNCTION,
     .offset = AT(torsion),
     .dim = DIM_SECOND_MOMENT,
     .flags = OPTION_POSITIVE,
     .help = "In space: torsion constant; default: the sum of both second moments, which is right for round sections."},
    {.key = "shear_area",
     .type = OPTION_FUNCTION,
     .offset = AT(shear_area),
     .dim = DIM_AREA,
     .flags = OPTION_POSITIVE,
     .help = "Theory `timoshenko`: area that carries shear; default: 5/6 of the area, as of a rectangle."},
};
static const option_table section_table = {
    .name = "section",
    .summary = "The cross section of a beam: numbers, or functions of `x` along the beam and its length `L`.",
    .example = "section: {area: \"9e-4*(1 - x/(2*L))\", second_moment: 1.69e-8}",
    .size = sizeof(carom_section_def),
    .options = section_options,
    .count = OPTION_COUNT(section_options)};
#undef AT

#define AT(field) offsetof(carom_beam_def, field)
static const option beam_options[] = {
    {.key = "length",
     .type = OPTION_NUMBER,
     .offset = AT(length),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_POSITIVE,
     .help = "Length along the x axis of the body, from its origin on."},
    {.key = "section",
     .type = OPTION_TABLE,
     .offset = AT(section),
     .table = &section_table,
     .flags = OPTION_REQUIRED,
     .help = "Cross section."},
    MATERIAL_OPTIONS,
    {.key = "theory",
     .type = OPTION_WORD,
     .offset = AT(theory),
     .words = "euler-bernoulli|timoshenko|rod",
     .preset = "euler-bernoulli",
     .help = "Without or with shear deformation and rotary inertia of the sections; `rod`: it stretches and does not "
             "bend."},
    {.key = "elements",
     .type = OPTION_INTEGER,
     .offset = AT(elements),
     .flags = OPTION_POSITIVE,
     .preset = "16",
     .help = "Finite elements; with given shape functions, parts in which they are integrated by five points each. "
             "Markers become nodes."},
};
const option_table beam_table = {
    .name = "beam",
    .summary =
        "`beam:` of a body makes it a flexible beam along its x axis. It needs `modes`. Its mass follows from the "
        "beam. Markers on it move and turn with their section. The body's axes are fixed to the marker by which a "
        "joint carries it.",
    .example =
        "link: {beam: {length: 0.5 m, section: {area: 9e-4, second_moment: 1.7e-8}, young: 73 GPa, density: "
        "2700}, modes: {count: 3}}",
    .size = sizeof(carom_beam_def),
    .options = beam_options,
    .count = OPTION_COUNT(beam_options)};
#undef AT

#define AT(field) offsetof(carom_refine_def, field)
static const option refine_options[] = {
    {.key = "at",
     .type = OPTION_POINTS,
     .offset = AT(at),
     .dim = DIM_LENGTH,
     .help = "Places towards which the mesh is refined, a list."},
    {.key = "size",
     .type = OPTION_NUMBER,
     .offset = AT(size),
     .dim = DIM_LENGTH,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Longest side of triangles there."},
    {.key = "growth",
     .type = OPTION_NUMBER,
     .offset = AT(growth),
     .dim = DIM_NONE,
     .flags = OPTION_POSITIVE,
     .preset = "1",
     .help = "Longest side elsewhere, over the distance from the nearest place. Less makes more triangles."},
};
static const option_table refine_table = {
    .name = "refine",
    .summary = "`refine:` of a `solid_2d`: its mesh becomes finer towards places. Sides on an arc stay on it.",
    .example = "refine: {at: [[0, -10 cm]], size: 0.25 mm}",
    .size = sizeof(carom_refine_def),
    .options = refine_options,
    .count = OPTION_COUNT(refine_options)};
#undef AT

#define AT(field) offsetof(carom_solid_2d_def, field)
static const option solid_2d_options[] = {
    {.key = "disc",
     .type = OPTION_NUMBER,
     .offset = AT(disc),
     .dim = DIM_LENGTH,
     .flags = OPTION_POSITIVE,
     .help = "Radius of a disc about the origin of the body."},
    {.key = "rectangle",
     .type = OPTION_NUMBERS,
     .offset = AT(rectangle),
     .dim = DIM_LENGTH,
     .flags = OPTION_POSITIVE,
     .help = "Width and height of a rectangle about the origin."},
    {.key = "polygon",
     .type = OPTION_POINTS,
     .offset = AT(polygon),
     .dim = DIM_LENGTH,
     .help = "Corners of a polygon in turn."},
    {.key = "mesh",
     .type = OPTION_TEXT,
     .offset = AT(mesh),
     .help = "A file of gmsh, relative to the file that names it: text of version 4.1 or 2.2, with triangles of six "
             "nodes and quadrilaterals of eight in the plane z = 0. Its physical groups of curves and points are "
             "interfaces by their names."},
    {.key = "scale",
     .type = OPTION_NUMBER,
     .offset = AT(scale),
     .dim = DIM_LENGTH,
     .flags = OPTION_POSITIVE,
     .preset = "1 m",
     .help = "Length of one unit of that file."},
    {.key = "elements",
     .type = OPTION_INTEGER,
     .offset = AT(elements),
     .flags = OPTION_POSITIVE,
     .preset = "6",
     .help = "Of shapes, not of a mesh file: rings of a disc; otherwise cells along the longer side. Triangles have "
             "six nodes."},
    {.key = "refine",
     .type = OPTION_TABLE,
     .offset = AT(refine),
     .table = &refine_table,
     .help = "Where the mesh is finer."},
    {.key = "thickness",
     .type = OPTION_NUMBER,
     .offset = AT(thickness),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_POSITIVE,
     .help = "Thickness."},
    MATERIAL_OPTIONS,
    {.key = "plane",
     .type = OPTION_WORD,
     .offset = AT(plane),
     .words = "stress|strain",
     .preset = "stress",
     .help = "Plane stress (a thin plate) or plane strain (a slice of a long body)."},
    {.key = "attach",
     .type = OPTION_NAMES,
     .offset = AT(attach),
     .help = "Sides of the shape or `stretches` of them: a marker at the middle of one moves and turns with the whole "
             "of it, as a rigid bar would that is fitted to it. So a joint holds a side, and not one point, which "
             "would give way the more the finer the mesh is."},
};
const option_table solid_2d_table = {
    .name = "solid_2d",
    .summary =
        "`solid_2d:` of a body makes it a flexible solid of a planar model. It needs `modes` with a count; "
        "eigenmodes are those of the free body. Markers must be inside it, and move and turn as the material "
        "there, or with a side (`attach`). It has geometric stiffness if `geometric_stiffness: yes` asks for it.",
    .example = "disc: {solid_2d: {disc: 0.1 m, thickness: 1 cm, solid: steel}, modes: {count: 10}}",
    .size = sizeof(carom_solid_2d_def),
    .options = solid_2d_options,
    .count = OPTION_COUNT(solid_2d_options)};
#undef AT

#define AT(field) offsetof(carom_finite_elements_def, field)
static const option finite_elements_options[] = {
    {.key = "matrices",
     .type = OPTION_TEXT,
     .offset = AT(matrices),
     .flags = OPTION_REQUIRED,
     .help = "Name of the files without their endings, relative to the file that names them. Matrix Market: "
             "`NAME.mass.mtx`, `NAME.stiffness.mtx` and `NAME.nodes`, a line for each node with its number, x, y, z "
             "and the names of sets it is in; rows of the matrices are x, y, z of the nodes in turn. CalculiX: "
             "`NAME.mas`, `NAME.sti`, `NAME.dof` and the deck `NAME.inp`."},
    {.key = "format",
     .type = OPTION_WORD,
     .offset = AT(format),
     .words = "matrix-market|calculix",
     .preset = "matrix-market",
     .help = "Who wrote them. CalculiX does so with `*FREQUENCY, SOLVER=MATRIXSTORAGE`, without `*BOUNDARY`."},
    {.key = "length",
     .type = OPTION_NUMBER,
     .offset = AT(length),
     .dim = DIM_LENGTH,
     .flags = OPTION_POSITIVE,
     .preset = "1 m",
     .help = "Unit of length of the other program."},
    {.key = "mass",
     .type = OPTION_NUMBER,
     .offset = AT(mass),
     .dim = DIM_MASS,
     .flags = OPTION_POSITIVE,
     .preset = "1 kg",
     .help = "Its unit of mass; its unit of time is the second. Of millimetres, newtons and tonnes: `length: 1 mm, "
             "mass: 1000 kg`."},
    {.key = "attach",
     .type = OPTION_NAMES,
     .offset = AT(attach),
     .help = "Sets of nodes (`*NSET`): each marker on the body follows the set whose mean place is nearest to it. "
             "Without it a marker follows the node next to it and those that share an element with that."},
    {.key = "loads",
     .type = OPTION_NAMES,
     .offset = AT(loads),
     .help =
         "Load cases, for geometric stiffness: of `pull` the files NAME.pull.load with a line `node fx fy fz` for "
         "each force, those of supports too, and NAME.pull.stiffness.mtx or NAME.pull.sti with the stiffness matrix "
         "of the body under this load."},
};
const option_table finite_elements_table = {
    .name = "finite_elements",
    .summary =
        "`finite_elements:` of a body makes it a flexible body in space from mass and stiffness matrix of another "
        "program, of solid elements with three displacements per node. It needs `modes` with a count; eigenmodes are "
        "those of the free body. A marker moves and turns as its nodes do on average. It has geometric stiffness from "
        "`loads`.",
    .example = "bracket: {finite_elements: {matrices: bracket, attach: [left, right]}, modes: {count: 12}}",
    .size = sizeof(carom_finite_elements_def),
    .options = finite_elements_options,
    .count = OPTION_COUNT(finite_elements_options)};
#undef AT

#define AT(field) offsetof(carom_modes_def, field)
static const option modes_options[] = {
    {.key = "count",
     .type = OPTION_INTEGER,
     .offset = AT(count),
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Number of eigenmodes, from the lowest frequency on."},
    {.key = "support",
     .type = OPTION_WORD,
     .offset = AT(support),
     .words = "clamped|free|craig-bampton",
     .preset = "clamped",
     .help = "Eigenmodes of the body clamped at the marker by which a joint carries it, or of the free body; or those "
             "of Craig and Bampton: of the body held at all places where joints, constraints and forces attach, with "
             "a static shape for each freedom of these places. With `craig-bampton` `static_modes` stays true."},
    {.key = "static_modes",
     .type = OPTION_FLAG,
     .offset = AT(static_modes),
     .preset = "true",
     .help = "With `count`: also the deformations under a force and a torque at each other marker where a joint, a "
             "constraint or a force attaches. They make static loads there exact, and raise the highest frequency."},
    {.key = "interface",
     .type = OPTION_NAMES,
     .offset = AT(interface),
     .help = "With `count`: contact places, by the names of markers on the body, of sides of its shape (`rim` of a "
             "disc; `bottom`, `right`, `top`, `left` of a rectangle; `side1`, `side2`, ... of a polygon, from its "
             "first corner on) or of `stretches`. A marker has a static mode along the normal: of a beam across its "
             "axis, at its ends along it too. `carom check` says what the modes miss of a static load there."},
    {.key = "interface_loads",
     .type = OPTION_WORD,
     .offset = AT(interface_loads),
     .words = "normal|all",
     .preset = "normal",
     .help = "Loads of the static modes of a side or a stretch: along its normals, or along all axes. `all` is for "
             "friction, and for a plane that touches a curved side in several nodes, whose normals are not those of "
             "the plane; it takes twice as many modes."},
    {.key = "interface_tolerance",
     .type = OPTION_NUMBER,
     .offset = AT(interface_tolerance),
     .dim = DIM_NONE,
     .flags = OPTION_POSITIVE | OPTION_AT_MOST_ONE,
     .preset = "0.1",
     .help = "Static modes of a side or a stretch whose compliance is below this part of the largest are left out."},
    {.key = "axial",
     .type = OPTION_FUNCTION_LIST,
     .offset = AT(axial),
     .dim = DIM_NONE,
     .help = "Instead of `count`: shape functions along x, of `x` and the length `L`; the coordinate of each is in "
             "metres."},
    {.key = "transverse",
     .type = OPTION_FUNCTION_LIST,
     .offset = AT(transverse),
     .dim = DIM_NONE,
     .help = "Shape functions along y. Sections turn by their slope."},
    {.key = "transverse_z",
     .type = OPTION_FUNCTION_LIST,
     .offset = AT(transverse_z),
     .dim = DIM_NONE,
     .help = "In space: shape functions along z."},
    {.key = "twist",
     .type = OPTION_FUNCTION_LIST,
     .offset = AT(twist),
     .dim = DIM_NONE,
     .help = "In space: shape functions of the turn about x; the coordinate of each is in radians."},
};
const option_table modes_table = {
    .name = "modes",
    .summary =
        "`modes:` of a flexible body: in which shapes it deforms, as eigenmodes or as given functions. The "
        "coordinate of an eigenmode is the displacement where the mode moves most. From given functions the "
        "motion of the marker that carries the body is taken off.",
    .example = "modes: {axial: [(x/L)^2], transverse: [1.5*(x/L)^2 - 0.5*(x/L)^3]}",
    .size = sizeof(carom_modes_def),
    .options = modes_options,
    .count = OPTION_COUNT(modes_options)};
#undef AT

#define AT(field) offsetof(carom_stretch_def, field)
static const option stretch_options[] = {
    {.key = "side",
     .type = OPTION_TEXT,
     .offset = AT(side),
     .flags = OPTION_REQUIRED,
     .help = "The side of the shape: `rim`, `bottom`, `right`, `top`, `left`, or `side1`, `side2`, ..."},
    {.key = "angles",
     .type = OPTION_NUMBERS,
     .offset = AT(angles),
     .dim = DIM_ANGLE,
     .help =
         "Only its nodes between these two angles about the origin of the body, counter-clockwise from the first to "
         "the second."},
    {.key = "between",
     .type = OPTION_NUMBERS,
     .offset = AT(between),
     .dim = DIM_LENGTH,
     .help = "Only its nodes between these two distances from where a straight side begins, the body to its left."},
};
const option_table stretch_table = {
    .name = "stretches",
    .summary =
        "`stretches:` of a flexible body: names for parts of its boundary, which `interface` of its modes can "
        "use. The static modes of a stretch are those of pressure on it, compressed: see "
        "`interface_tolerance`.",
    .example = "stretches: {foot: {side: rim, angles: [-100 deg, -80 deg]}}",
    .size = sizeof(carom_stretch_def),
    .options = stretch_options,
    .count = OPTION_COUNT(stretch_options)};
#undef AT

#define AT(field) offsetof(carom_structural_damping_def, field)
static const option damping_options[] = {
    {.key = "ratio",
     .type = OPTION_NUMBER,
     .offset = AT(ratio),
     .dim = DIM_NONE,
     .flags = OPTION_NOT_NEGATIVE | OPTION_AT_MOST_ONE,
     .preset = "0",
     .help = "Part of critical damping, the same for every mode."},
    {.key = "mass",
     .type = OPTION_NUMBER,
     .offset = AT(mass),
     .dim = DIM_PER_TIME,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Rayleigh damping: factor of the mass matrix of the modes."},
    {.key = "stiffness",
     .type = OPTION_NUMBER,
     .offset = AT(stiffness),
     .dim = DIM_TIME,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Rayleigh damping: factor of the stiffness matrix."},
};
const option_table structural_damping_table = {
    .name = "damping",
    .summary = "`damping:` of a flexible body: a ratio, or Rayleigh damping.",
    .example = "damping: {ratio: 0.01}",
    .size = sizeof(carom_structural_damping_def),
    .options = damping_options,
    .count = OPTION_COUNT(damping_options)};
#undef AT
