// Force laws by themselves: what there is, what restitution comes out, and experiments on one contact without a model.
#ifndef CAROM_LAW_H
#define CAROM_LAW_H

#include "carom/define.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_law_family { CAROM_NORMAL_LAWS, CAROM_FRICTION_LAWS } carom_law_family;

typedef struct carom_law {
  const char *name, *equation, *source, *range;
} carom_law;

CAROM_API carom_law carom_law_get(carom_law_family family, int i);  // its name is null beyond the last
// The restitution that comes out of a normal law given another; NaN where the law has no such number (kelvin-voigt,
// expression) or divides by it.
CAROM_API double carom_law_achieved(const char *name, double restitution);

// A mass meets a surface.
typedef struct carom_impact {
  carom_material_def material;
  double radius[2];   // of the surfaces: infinite of a plane, negative of a hollow one [m]
  double mass;        // [kg]
  double speed;       // of approach [m/s]
  int rows;           // about how many to report
} carom_impact;

typedef struct carom_impact_result {
  double restitution;  // achieved [-]
  double deepest;      // penetration [m]
  double peak;         // force [N]
  double duration;     // [s]
} carom_impact_result;

// A sphere of steel, 10 mm in radius, on a plane of steel, at 1 m/s.
CAROM_API carom_impact carom_impact_default(void);
// From the first touch until the force is gone; `row` (may be null) receives time, penetration, its rate and the force.
CAROM_API carom_status carom_law_impact(const carom_impact *impact,
                                        void (*row)(void *context, double t, double delta, double rate, double force),
                                        void *context, carom_impact_result *result, carom_error *error);

// A loaded surface slides to and fro, v = speed · sin(2π t/period), twice; `row` receives time, way, speed and friction
// on what slides. Rows are equally spaced in time.
typedef struct carom_slide {
  carom_material_def material;
  double load;     // [N]
  double speed;    // largest [m/s]
  double period;   // [s]
  int rows;
} carom_slide;

CAROM_API carom_slide carom_slide_default(void);
CAROM_API carom_status carom_law_slide(const carom_slide *slide,
                                       void (*row)(void *context, double t, double x, double v, double force),
                                       void *context, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
