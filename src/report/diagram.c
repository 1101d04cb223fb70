// A bifurcation diagram in the page: its points, what is known of each value, the changes, and how it was made.
#include "report/report.h"

bool report_is_diagram(const report_run *run) {
  return record_get_text(run->in, "bifurcation") && record_find_table(run->in, "values") >= 0 &&
         record_find_table(run->in, "points") >= 0;
}

bool report_load_diagram(report *r, report_run *run, size_t room) { return report_load_rows(r, run, "points", room); }

void report_put_diagram(report *r, json_writer *w, const report_run *run) {
  static const char *const texts[] = {"period", "section"};
  static const char *const numbers[] = {"cut", "points", "tolerance", "disturbance", "halvings", "one_way", "lyapunov"};
  const json_value *of = json_read(r->memory, record_get_text(run->in, "bifurcation"));
  json_open(w, "bifurcation", '{');
  report_put_origin(w, run, of);
  if (json_get(of, "vary")) json_put(w, "vary", json_get(of, "vary"));
  if (json_get(of, "take")) json_put(w, "take", json_get(of, "take"));
  for (int i = 0; i < 2; i++) json_put_text(w, texts[i], json_get_text(of, texts[i]));
  json_open(w, "rule", '{');
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    json_put_number(w, numbers[i], json_get_number(of, numbers[i], 0));
  json_close(w, '}');
  report_put_kept_rows(w, &run->sweep);
  report_put_rows(r, w, run, "values", "values");
  report_put_rows(r, w, run, "changes", "changes");
  report_put_messages(r, w, run);
  json_close(w, '}');
}
