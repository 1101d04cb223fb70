#include "scheme/smooth.h"

#include "scheme/flow.h"
#include "scheme/options.h"

#define AT(field) offsetof(carom_smooth_def, field)
static const option options[] = {
    LOOP_OPTIONS(
        "How loop constraints are enforced: projection after each step, Baumgarte stabilisation, or stabilised index 2 "
        "(only with `integrator: ida`, which always uses it)."),
};
static const option_table table = {.name = "smooth",
                                   .summary = "Smooth motion without contact.",
                                   .example = "method: {smooth: {constraints: baumgarte, alpha: 20, beta: 20}}",
                                   .size = sizeof(carom_smooth_def),
                                   .options = options,
                                   .count = OPTION_COUNT(options)};
#undef AT
SCHEME_INTERFACE(smooth);

// --- what it can run -------------------------------------------------------------------------------------------------

static bool accepts_settings(const scheme_request *request, scheme_refusal *why) {
  return flow_accepts_settings(request, ((const carom_smooth_def *)request->options)->constraints, why);
}

static bool accepts_model(const scheme_request *request, scheme_refusal *why) {
  if (!flow_accepts_model(request, why)) return false;
  if (!request->contacts->element_count) return true;
  return SCHEME_REFUSE(why, REFUSED_CONTACT, 0, "use method: {moreau: {step: ...}}, event or compliant",
                       "method smooth does not support contact, and '%s' can touch",
                       request->contacts->elements[0].name);
}

static const scheme_about about = {
    .table = &table,
    .integrates = true,
    .accepts_settings = accepts_settings,
    .accepts_model = accepts_model,
    .loops = "use constraints: project",
};

// --- the scheme ------------------------------------------------------------------------------------------------------

static void *create(const scheme_setup *setup, const scheme_start *start, carom_error *error) {
  const carom_smooth_def *d = setup->options;
  flow_settings settings = flow_settings_from(setup, d->constraints, d->alpha, d->beta);
  return flow_create(setup, &settings, start, error);
}
static void destroy(void *scheme) { flow_destroy(scheme); }
static void show_end(void *scheme) { flow_show_end(scheme); }

static carom_status step(void *scheme, double t_stop, carom_error *error) {
  carom_status status = flow_step(scheme, t_stop, error);
  show_end(scheme);
  return status;
}

static carom_status show(void *scheme, double t, carom_error *error) { return flow_show_within(scheme, t, error); }
static bool result(void *scheme, carom_error *error) { return (void)error, flow_result(scheme); }
static void memory(void *scheme, fields *f) { flow_end_fields(scheme, f); }
static carom_status restored(void *scheme, carom_error *error) { return flow_end_restored(scheme, error); }
static double time_of(const void *scheme) { return flow_time(scheme); }
static const double *state_of(const void *scheme) { return flow_state(scheme); }
static const double *accounts_of(const void *scheme) { return flow_accounts(scheme); }
static bool resumes_exactly(const void *scheme) { return flow_resumes_exactly(scheme); }
static double next_step(const void *scheme) { return flow_next_step(scheme); }
static scheme_stats stats_of(const void *scheme) { return flow_stats(scheme); }

const scheme_type scheme_smooth = {
    .energy = {.warn = 1e-3, .bad = 1e-3, .tolerances = 1e4},
    .name = "smooth",
    .about = &about,
    .create = create,
    .destroy = destroy,
    .step = step,
    .show = show,
    .show_end = show_end,
    .result = result,
    .time = time_of,
    .state = state_of,
    .accounts = accounts_of,
    .stats = stats_of,
    .resumes_exactly = resumes_exactly,
    .next_step = next_step,
    .memory = memory,
    .restored = restored,
};
