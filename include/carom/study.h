// Studies of a model at rest: where it is in equilibrium, and how it vibrates about a position.
#ifndef CAROM_STUDY_H
#define CAROM_STUDY_H

#include <stdbool.h>

#include "carom/export.h"
#include "carom/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct carom_sim;

// An equilibrium: positions at which the forces are in balance, and the states of the model do not change.
typedef struct carom_equilibrium {
  int iterations;
  int freedoms;     // independent directions in which the mechanism can move
  int unstable;     // of these: directions in which a small displacement grows,
  int neutral;      // and directions without a restoring force
  double step;      // the last correction, relative to a radian or the size of the model [-]
  double residual;  // the largest acceleration that is left [rad/s² or m/s²]
  int closed;       // contact points that carry a force
  bool friction;    // contacts or joints rub: other positions are in equilibrium, too
} carom_equilibrium;

// Moves a sim to an equilibrium, at rest, with drives where they are at the present time. It follows a strongly damped
// motion from the present position, and ends with Newton's method. Contacts act by their force laws, or under methods
// with rigid contact by complementarity: gap 0 where they carry a force. With friction the result is where the damped
// motion first sticks. Returns CAROM_ERROR_STUDY if there is no equilibrium that this motion leads to; the sim is then
// where it was. `result` may be null. While it searches, a function of carom_sim_set_interrupt finds in it how far it
// is: iterations, and the last step.
CAROM_API carom_status carom_sim_equilibrium(struct carom_sim *sim, carom_equilibrium *result, carom_error *error);

// Writes an equilibrium, and the positions and contact forces that the sim has there, as one JSON object. Returns its
// length like snprintf.
CAROM_API int carom_equilibrium_json(const carom_equilibrium *equilibrium, struct carom_sim *sim, char *text, int size);

// Vibrations of small amplitude about the present state: a position at rest, or a steady motion with its gyroscopic
// terms. Rigid contacts that carry a force stay closed, and those that rub stick; contacts with a force law act by it.
typedef struct carom_modes carom_modes;

// One mode: a real eigenvalue, or a pair of complex ones, of which it has the one with the positive imaginary part.
typedef struct carom_mode {
  double real, imaginary;  // eigenvalue: the motion is Re(shape exp(eigenvalue t)) [1/s]
  double omega;            // natural frequency, the magnitude of the eigenvalue [rad/s]
  double frequency;        // of the damped oscillation; 0 of a real eigenvalue [Hz]
  double damping;          // damping ratio; 1 of a real eigenvalue that decays, -1 of one that grows [-]
} carom_mode;

// Returns null on failure. The sim itself does not change. The modes are ordered by their natural frequency.
CAROM_API carom_modes *carom_sim_modes(struct carom_sim *sim, carom_error *error);
// The same about the present position at rest: speeds are left out, and drives stay where they are.
CAROM_API carom_modes *carom_sim_modes_at_rest(struct carom_sim *sim, carom_error *error);
CAROM_API void carom_modes_destroy(carom_modes *modes);  // null is legal
CAROM_API int carom_modes_count(const carom_modes *modes);
CAROM_API carom_mode carom_modes_get(const carom_modes *modes, int mode);
// The largest acceleration: not zero where the state is no equilibrium and no steady motion [rad/s² or m/s²].
CAROM_API double carom_modes_imbalance(const carom_modes *modes);
// The largest speed of the state, relative to a radian or the size of the model; 0 at rest [1/s].
CAROM_API double carom_modes_speed(const carom_modes *modes);
// How much the linearised equations change while the motion goes on by 0.05 rad, or 0.05 of the size of the model,
// relative to their largest coefficients. Not zero, for instance, of an unbalanced rotor: eigenvalues are then those of
// an instant, and do not tell how disturbances grow [-].
CAROM_API double carom_modes_change(const carom_modes *modes);
// What shapes are told in: coordinates of joints (`hinge.q`; of joints with quaternions speeds, `ball.u0`), of flexible
// bodies (`link.mode1`), and states. Speeds of a joint with a quaternion are along the axes of its body, which turn
// with it: there a frequency is the one that is seen from the body. The names stay valid as long as the modes; null
// after the last.
CAROM_API const char *carom_modes_name(const carom_modes *modes, int row);
CAROM_API const char *carom_modes_unit(const carom_modes *modes, int row);
// The shape of a mode: one complex number per row, the largest of the mode is 1.
CAROM_API double carom_modes_shape(const carom_modes *modes, int mode, int row, double *imaginary);
CAROM_API int carom_modes_json(const carom_modes *modes, char *text, int size);  // as above
// Writes a record in which each mode moves through one period, mode i from t = i to i + 1, with an amplitude that can
// be seen: `carom_report` makes a page of it that shows mode by mode. `sim` is the one that the modes are of, or one of
// the same model. A file that carom did not write is replaced only with `force`.
CAROM_API carom_status carom_modes_record(const carom_modes *modes, struct carom_sim *sim, const char *record,
                                          bool force, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
