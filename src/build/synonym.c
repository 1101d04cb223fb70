// What textbooks and other programs (Adams, Chrono, Exudyn, MuJoCo, Simpack, URDF) call what a model file has: only for
// suggestions. A word is suggested where its key is known; among several keys the first that is known there.
#include "build/definition.h"

#define BELONGS_TO_MATERIAL "it belongs to a material: 'materials: {NAME: {restitution: 0.5, friction: 0.3}}', and here 'material: NAME'"
#define PLACED_BY_JOINT "a body stands where its joints put it: 'joints: {NAME: {free: [ground, BODY], at: [x, y]}}'"
#define ACTS_ON_MARKER "make a marker and name it: 'markers: {NAME: {on: BODY, at: [x, y]}}', and here NAME in place of the body"
#define TORQUE_HAS_NO_PLACE "a torque acts on its body as a whole, wherever it is applied: leave it out"
#define MOVED_BY_INITIAL "the start has its own section: 'initial: {BODY: {velocity: [...], omega: ...}}'"
#define FREE_STANDS_AT "a free joint places its body by 'at' and 'rotate': '{free: [ground, BODY], at: [x, y]}'; its coordinates at the start are 'initial: {JOINT: {q: [...], u: [...]}}'"
#define STARTS_BY_INITIAL "the start has its own section: 'initial: {JOINT: {q: ..., u: ...}}'"
#define FIXED_IS_GROUND "what does not move belongs to 'ground': 'surfaces: {NAME: {box: ground, size: [...]}}'; to attach a body to it, use 'joints: {NAME: {fixed: [ground, BODY]}}'"
#define STEP_OF_METHOD "the step belongs to the method: 'method: {moreau: {step: 1 ms}}'"
#define SPRING_ALONG "a spring or damper in a joint is a force: 'forces: {NAME: {along: JOINT, stiffness: ..., damping: ...}}'"
#define SPEED_TIMES_TIME "a drive prescribes the coordinate: 'motion: 300 rpm * t'"
#define TRUE_IS_ON "a tool for YAML 1.1 takes the key 'on' for true: write 'body'"
#define HALF "the radius is half of it"
#define DRIVE_HAS_NO_EFFORT "a drive prescribes the motion, and its effort follows. A given effort is a force: 'forces: {NAME: {along: JOINT, effort: ...}}'"
#define DAMPER_IS_SPRING "a damper is a spring without stiffness: '{spring: [first, second], damping: ...}', in a joint '{along: JOINT, damping: ...}'"
#define TOUCHES_BY_SURFACE "shapes that touch are surfaces: 'surfaces: {NAME: {sphere: BODY, radius: ...}}'; a contact names two of them: 'between: [NAME, floor]'"
#define MASS_FROM_SHAPE "the mass follows from 'shape:' and 'density:', or give 'mass' and 'inertia'"
#define STEP_IS_FOUND "this method finds its steps itself; 'integrator: {step_max: ...}' limits them"

const option_synonym model_synonyms[] = {
    // the file as a whole
    {"duration", "end", NULL}, {"t_end", "end", NULL}, {"tend", "end", NULL}, {"end_time", "end", NULL},
    {"endtime", "end", NULL}, {"stop_time", "end", NULL}, {"t_final", "end", NULL}, {"simulation_time", "end", NULL},
    {"g", "gravity", NULL}, {"gravitation", "gravity", NULL}, {"name", "title", NULL}, {"description", "title", NULL},
    {"body", "bodies", NULL}, {"links", "bodies", NULL}, {"parts", "bodies", NULL}, {"connections", "joints", NULL},
    {"frames", "markers", NULL}, {"sites", "markers", NULL}, {"points", "markers", NULL}, {"springs", "forces", NULL},
    {"loads", "forces", NULL}, {"dampers", "forces", NULL}, {"actuators", "forces", NULL}, {"motors", "drives", NULL},
    {"motions", "drives", NULL}, {"drivers", "drives", NULL}, {"geoms", "surfaces", NULL}, {"geometries", "surfaces", NULL},
    {"shapes", "surfaces", NULL}, {"collisions", "surfaces", NULL}, {"collision_shapes", "surfaces", NULL},
    {"pairs", "contacts", NULL}, {"contact_pairs", "contacts", NULL}, {"initial_conditions", "initial", NULL},
    {"initials", "initial", NULL}, {"start", "initial", NULL}, {"sensors", "outputs", NULL}, {"measures", "outputs", NULL},
    {"requests", "outputs", NULL}, {"variables", "parameters", NULL}, {"params", "parameters", NULL},
    {"constants", "parameters", NULL}, {"solver", "method", "'method' says how contact is computed, 'integrator' how smooth motion is"},
    {"dimension", "space", NULL}, {"dim", "space", NULL}, {"planar", "space", "write 'space: planar'"}, {"output", "record", NULL},
    {"units", NULL, "numbers are SI and radians unless a unit follows them: 0.5 mm, 30 deg"},
    // bodies and markers
    {"m", "mass", NULL}, {"weight", "mass", "give the mass [kg]"}, {"moment_of_inertia", "inertia", NULL}, {"moi", "inertia", NULL},
    {"diaginertia", "inertia", NULL}, {"inertia_tensor", "inertia", NULL}, {"I", "inertia", NULL}, {"J", "inertia", NULL},
    {"izz", "inertia", NULL}, {"cog", "com", NULL}, {"cg", "com", NULL}, {"cm", "com", NULL}, {"center_of_mass", "com", NULL},
    {"centre_of_mass", "com", NULL}, {"geometry", "shape", NULL}, {"geom", "shape", NULL}, {"visual", "shape", NULL},
    {"graphics", "shape", NULL}, {"true", "body", TRUE_IS_ON}, {"link", "body", NULL},
    {"fixed", "com", FIXED_IS_GROUND}, {"static", "com", FIXED_IS_GROUND}, {"is_static", "com", FIXED_IS_GROUND},
    // where a thing is, and how it is turned
    {"pos", "at", NULL}, {"position", "at", NULL}, {"location", "at", NULL}, {"anchor", "at", NULL}, {"origin", "at", NULL},
    {"offset", "at", NULL}, {"center", "at", NULL}, {"centre", "at", NULL}, {"point", "at", NULL}, {"xyz", "at", "write at: [x, y, z] for a position, rotate: {xyz: [a, b, c]} for angles"},
    {"rotation", "rotate", NULL}, {"orientation", "rotate", NULL}, {"euler", "rotate", "write rotate: {euler: [a, b, c]}"},
    {"quat", "rotate", "write rotate: {quaternion: [w, x, y, z]}"}, {"quaternion", "rotate", "write rotate: {quaternion: [w, x, y, z]}"},
    {"rpy", "rotate", "write rotate: {xyz: [roll, pitch, yaw]}"}, {"angle", "rotate", NULL}, {"direction", "axis", NULL}, {"dir", "axis", NULL},
    {"normal", "rotate", "the plane is the x axis of its frame (in space the xy plane); turn the frame by 'rotate'"},
    {"pos", NULL, PLACED_BY_JOINT}, {"position", NULL, PLACED_BY_JOINT}, {"location", NULL, PLACED_BY_JOINT},
    {"at", "force", ACTS_ON_MARKER}, {"at", "spring", ACTS_ON_MARKER}, {"at", "bushing", ACTS_ON_MARKER},
    {"position", "force", ACTS_ON_MARKER}, {"position", "spring", ACTS_ON_MARKER}, {"position", "bushing", ACTS_ON_MARKER},
    {"point", "force", ACTS_ON_MARKER}, {"point", "spring", ACTS_ON_MARKER}, {"point", "bushing", ACTS_ON_MARKER},
    {"at", "torque", TORQUE_HAS_NO_PLACE}, {"position", "torque", TORQUE_HAS_NO_PLACE}, {"point", "torque", TORQUE_HAS_NO_PLACE},
    {"at", NULL, PLACED_BY_JOINT},
    // contacts
    {"sphere", "between", TOUCHES_BY_SURFACE}, {"box", "between", TOUCHES_BY_SURFACE}, {"plane", "between", TOUCHES_BY_SURFACE},
    {"point", "between", TOUCHES_BY_SURFACE}, {"radius", "between", TOUCHES_BY_SURFACE}, {"surfaces", "between", NULL},
    {"pair", "between", NULL}, {"bodies", "between", "a contact names two surfaces: 'between: [ball, floor]'"},
    // sizes
    {"diameter", "radius", HALF}, {"d", "radius", HALF}, {"r", "radius", NULL}, {"half_extents", "size", "'size' has the whole edges, not half of them"},
    {"halfsize", "size", "'size' has the whole edges, not half of them"}, {"dimensions", "size", NULL}, {"extents", "size", NULL},
    {"lengths", "size", NULL}, {"gap", "clearance", NULL}, {"play", "clearance", NULL}, {"backlash", "clearance", NULL},
    {"range", "limits", NULL}, {"limit", "limits", NULL}, {"stops", "limits", NULL}, {"lower", "limits", "write limits: [lowest, highest]"},
    {"upper", "limits", "write limits: [lowest, highest]"},
    {"volume", "com", MASS_FROM_SHAPE}, {"depth", "thickness", NULL},
    {"cuboid", "box", NULL}, {"ball", "sphere", NULL}, {"circle", "sphere", NULL}, {"convex", "hull", NULL}, {"tetrahedron", "hull", NULL},
    {"stl", "mesh", NULL}, {"obj", "mesh", NULL}, {"trimesh", "mesh", NULL}, {"filename", "file", NULL}, {"path", "file", NULL},
    {"unit", "scale", NULL}, {"half_axes", "ellipsoid", NULL}, {"vertices", "hull", NULL}, {"corners", "polygon", NULL},
    // materials
    {"mu", "friction", NULL}, {"cof", "friction", NULL}, {"friction_coefficient", "friction", NULL},
    {"coefficient_of_friction", "friction", NULL}, {"mu_k", "friction", NULL}, {"mu_d", "friction", NULL},
    {"dynamic_friction", "friction", NULL}, {"kinetic_friction", "friction", NULL}, {"sliding_friction", "friction", NULL},
    {"mu_s", "static_friction", NULL}, {"mu_static", "static_friction", NULL}, {"e", "restitution", NULL}, {"cor", "restitution", NULL},
    {"coefficient_of_restitution", "restitution", NULL}, {"restitution_coefficient", "restitution", NULL}, {"E", "young", NULL},
    {"youngs_modulus", "young", NULL}, {"young_modulus", "young", NULL}, {"elastic_modulus", "young", NULL}, {"nu", "poisson", NULL},
    {"poisson_ratio", "poisson", NULL}, {"poissons_ratio", "poisson", NULL}, {"rho", "density", NULL}, {"model", "law", NULL},
    {"contact_law", "law", NULL}, {"contact_model", "law", NULL}, {"n", "exponent", NULL},
    {"mu", NULL, BELONGS_TO_MATERIAL}, {"friction", NULL, BELONGS_TO_MATERIAL}, {"restitution", NULL, BELONGS_TO_MATERIAL},
    {"e", NULL, BELONGS_TO_MATERIAL}, {"cor", NULL, BELONGS_TO_MATERIAL},
    // forces and drives
    {"k", "stiffness", NULL}, {"kn", "stiffness", NULL}, {"spring_constant", "stiffness", NULL}, {"stiffness_coefficient", "stiffness", NULL},
    {"c", "damping", NULL}, {"d", "damping", NULL}, {"damping_coefficient", "damping", NULL}, {"damper", "damping", NULL},
    {"l0", "rest", NULL}, {"free_length", "rest", NULL}, {"rest_length", "rest", NULL}, {"reference_length", "rest", NULL},
    {"natural_length", "rest", NULL}, {"springref", "rest", NULL}, {"preload", "effort", NULL}, {"torque", "effort", NULL},
    {"force", "effort", NULL}, {"actuator", "effort", NULL}, {"value", "components", NULL}, {"vector", "components", NULL},
    {"load", "components", NULL}, {"force_vector", "components", NULL}, {"k", NULL, SPRING_ALONG}, {"stiffness", NULL, SPRING_ALONG},
    {"damping", NULL, SPRING_ALONG}, {"function", "motion", NULL}, {"value", "motion", NULL}, {"expression", "motion", NULL},
    {"angle", "motion", NULL}, {"position", "motion", NULL}, {"q", "motion", NULL}, {"speed", "motion", SPEED_TIMES_TIME},
    {"velocity", "motion", SPEED_TIMES_TIME}, {"omega", "motion", SPEED_TIMES_TIME}, {"rate", "motion", SPEED_TIMES_TIME},
    {"coordinate", "joint", NULL}, {"effort", "motion", DRIVE_HAS_NO_EFFORT},
    {"torque", "motion", DRIVE_HAS_NO_EFFORT}, {"force", "motion", DRIVE_HAS_NO_EFFORT}, {"effort", NULL, SPRING_ALONG}, {"length", "rest", NULL},
    {"initial_length", "rest", NULL}, {"unstretched_length", "rest", NULL}, {"ratio", "teeth", "write teeth: [n1, n2]"}, {"distance", "length", NULL},
    // the start
    {"position", "q", NULL}, {"angle", "q", NULL}, {"displacement", "q", NULL}, {"qpos", "q", NULL}, {"speed", "u", NULL},
    {"qd", "u", NULL}, {"qdot", "u", NULL}, {"qvel", "u", NULL}, {"rate", "u", NULL}, {"v", "velocity", NULL},
    {"linear_velocity", "velocity", NULL}, {"w", "omega", NULL}, {"angular_velocity", "omega", NULL}, {"velocity", NULL, MOVED_BY_INITIAL},
    {"omega", NULL, MOVED_BY_INITIAL}, {"angular_velocity", NULL, MOVED_BY_INITIAL}, {"initial_velocity", NULL, MOVED_BY_INITIAL},
    {"q", "free", FREE_STANDS_AT}, {"u", "free", FREE_STANDS_AT}, {"q", NULL, STARTS_BY_INITIAL}, {"u", NULL, STARTS_BY_INITIAL},
    // time
    {"dt", "step", NULL}, {"h", "step", NULL}, {"time_step", "step", NULL}, {"timestep", "step", NULL}, {"step_size", "step", NULL},
    {"stepsize", "step", NULL}, {"tol", "tolerance", NULL}, {"tol", "rtol", NULL}, {"tolerance", "rtol", NULL}, {"reltol", "rtol", NULL},
    {"relative_tolerance", "rtol", NULL}, {"abstol", "atol", NULL}, {"absolute_tolerance", "atol", NULL}, {"hmax", "step_max", NULL},
    {"max_step", "step_max", NULL}, {"hmin", "step_min", NULL}, {"min_step", "step_min", NULL}, {"method", "type", NULL},
    {"interval", "every", NULL}, {"dt", "every", NULL}, {"output_step", "every", NULL}, {"sampling", "every", NULL}, {"period", "every", NULL},
    {"step", "impact", STEP_IS_FOUND}, {"dt", "impact", STEP_IS_FOUND}, {"step", "entry", STEP_IS_FOUND}, {"dt", "entry", STEP_IS_FOUND},
    {"dt", NULL, STEP_OF_METHOD}, {"timestep", NULL, STEP_OF_METHOD}, {"time_step", NULL, STEP_OF_METHOD}, {"step", NULL, STEP_OF_METHOD},
    {"step_size", NULL, STEP_OF_METHOD}, {"end", NULL, "'end' stands at the top of the file"},
    {"end_time", NULL, "'end' stands at the top of the file"}, {"duration", NULL, "'end' stands at the top of the file"},
    {"gravity", NULL, "'gravity' stands at the top of the file"},
    // members of families: joints, forces, surfaces and shapes; those of methods come from the schemes
    {"hinge", "revolute", NULL}, {"pin", "revolute", NULL}, {"rotational", "revolute", NULL}, {"slider", "prismatic", NULL},
    {"slide", "prismatic", NULL}, {"translational", "prismatic", NULL}, {"ball", "spherical", NULL}, {"hooke", "universal", NULL},
    {"cardan", "universal", NULL}, {"weld", "fixed", NULL}, {"rigid", "fixed", NULL}, {"floating", "free", NULL}, {"helical", "screw", NULL},
    {"damper", "spring", DAMPER_IS_SPRING}, {"dashpot", "spring", DAMPER_IS_SPRING}, {"viscous", "spring", DAMPER_IS_SPRING},
    {"tsda", "spring", NULL}, {"spring_damper", "spring", NULL}, {"rsda", "along", NULL}, {"torsion", "along", NULL}, {"motor", "along", NULL},
    {"moment", "torque", NULL}, {"circle", "sphere", NULL}, {"circle", "disc", NULL}, {"ball", "sphere", NULL}, {"disc", "sphere", NULL},
    {"halfspace", "plane", NULL}, {"floor", "plane", NULL}, {"wall", "plane", NULL}, {"cube", "box", NULL}, {"cuboid", "box", NULL},
    {"block", "box", NULL}, {"rectangle", "box", NULL}, {"vertex", "point", NULL}, {"node", "point", NULL}, {"bar", "link", NULL},
    {"rod", "link", NULL}, {"beam", "link", NULL},
    // words that an option can be
    {"2d", "planar", NULL}, {"plane", "planar", NULL}, {"xy", "planar", NULL}, {"3d", "spatial", NULL},
    {NULL, NULL, NULL},
};
