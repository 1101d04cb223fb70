// Contact force laws without a model: the list of laws, the restitution that each achieves, and experiments on one
// contact.
#ifndef CAROM_LAW_H
#define CAROM_LAW_H

#include "carom/define.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_law_family { CAROM_NORMAL_LAWS, CAROM_FRICTION_LAWS } carom_law_family;

typedef struct carom_law {
  const char *name, *equation, *source, *range;
  bool own;  // a user's: it has a curve only in a model
} carom_law;

// The i-th law of a family; its name is null after the last one.
CAROM_API carom_law carom_law_get(carom_law_family family, int i);
// Returns the restitution that a normal law achieves for a nominal one. Returns NaN if the law has no restitution
// (kelvin-voigt, expression) or divides by it and it is zero.
CAROM_API double carom_law_achieved(const char *name, double restitution);

// Impact of a mass on a surface.
typedef struct carom_impact {
  carom_material_def material;
  double radius[2];  // of the two surfaces: infinite for a plane, negative for a concave surface [m]
  double mass;       // [kg]
  double speed;      // approach speed [m/s]
  int rows;          // approximate number of rows to report
} carom_impact;

typedef struct carom_impact_result {
  double restitution;  // achieved [-]
  double deepest;      // largest penetration [m]
  double peak;         // largest force [N]
  double duration;     // [s]
} carom_impact_result;

// The header of a CSV file with the rows of impacts, by which `carom laws` and the guard of output files know it.
#define CAROM_IMPACT_CSV "law,restitution,t,delta,rate,force"

// A steel sphere of 10 mm radius on a steel plane, at 1 m/s.
CAROM_API carom_impact carom_impact_default(void);
// Sets the law of an impact and what it needs beside solids and restitution: a spring that is pressed as deep as
// Hertz's and a damper, unless given; for laws of lines a journal in a bearing.
CAROM_API carom_status carom_law_fit(const char *law, carom_impact *impact, carom_error *error);
// Simulates the impact from first contact until the force vanishes. `row` (may be null) receives time, penetration, its
// rate and the force.
CAROM_API carom_status carom_law_impact(const carom_impact *impact,
                                        void (*row)(void *context, double t, double delta, double rate, double force),
                                        void *context, carom_impact_result *result, carom_error *error);

// A loaded surface slides back and forth with v = speed · sin(2π t/period) for two periods. `row` receives time,
// travel, speed and the friction force on the sliding surface, at equal time intervals.
typedef struct carom_slide {
  carom_material_def material;
  double load;    // [N]
  double speed;   // amplitude [m/s]
  double period;  // [s]
  int rows;
} carom_slide;

// The header of a CSV file with the rows of slides.
#define CAROM_SLIDE_CSV "law,t,x,v,force"

CAROM_API carom_slide carom_slide_default(void);
CAROM_API carom_status carom_law_slide(const carom_slide *slide,
                                       void (*row)(void *context, double t, double x, double v, double force),
                                       void *context, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
