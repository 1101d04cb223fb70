// Commands whose output is one of their inputs, or an existing file of another kind. No such file may change.
#include "campaign.h"

#include <sys/stat.h>
#include <sys/wait.h>

// A fresh folder with a model, a file that it includes, a record of it and a file of the user's.
static const char *const files[] = {"m.yaml", "part.yaml", "m.json", "r.h5", "notes.txt", "data.csv"};
enum { FILE_COUNT = sizeof files / sizeof *files };

static int in_folder(const char *command) {
  char line[4096];
  snprintf(line, sizeof line, "cd '%s' && %s >out.log 2>&1 </dev/null", campaign_folder(), command);
  int status = system(line);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool prepare(void) {
  const char *model = "include: part.yaml\njoints: {j: {revolute: [ground, a]}}\nend: 0.01\n";
  char command[2048];
  snprintf(command, sizeof command, "'%s' run m.yaml -o r.h5", campaign_tool());
  return write_text(campaign_file("m.yaml"), model) &&
         write_text(campaign_file("part.yaml"), "bodies: {a: {mass: 1, inertia: [1, 1, 1], com: [1, 0, 0]}}\n") &&
         write_text(campaign_file("m.json"),
                    "{\"bodies\": {\"a\": {\"mass\": 1, \"inertia\": [1, 1, 1]}}, \"joints\": {\"j\": {\"revolute\": "
                    "[\"ground\", \"a\"]}}}\n") &&
         write_text(campaign_file("notes.txt"), "do not lose this\n") &&
         write_text(campaign_file("data.csv"), "my,own,numbers\n1,2,3\n") && in_folder(command) == 0;
}

// The output of each command; %s is the file under attack.
static const char *const commands[] = {
    "run m.yaml -o %s",
    "run m.yaml --csv %s",
    "run m.yaml --no-record --csv %s",
    "run m.yaml --report %s",
    "report r.h5 -o %s",
    "export r.h5 -o %s",
    "export r.h5 --table joints -o %s",
    "compare m.yaml --method smooth,smooth -o %s",
    "compare m.json -o %s",
    "compare m.yaml --method smooth --report %s",
    "run m.yaml --resume r.h5 -o %s",
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void run(void) {
  const char *victim = files[pick(0, FILE_COUNT - 1)], *format = commands[pick(0, COMMAND_COUNT - 1)];
  char target[64], words[256], command[2048];
  // as it is, by another spelling, through a link
  switch (pick(0, 3)) {
    case 0: snprintf(target, sizeof target, "./%s", victim); break;
    case 1: snprintf(target, sizeof target, "link"); break;
    case 2: snprintf(target, sizeof target, "hard"); break;
    default: snprintf(target, sizeof target, "%s", victim);
  }
  snprintf(words, sizeof words, format, target);
  campaign_model("carom %s (%s)", words, victim);
  // a record may replace a record, unless it is read
  bool may_replace = !strcmp(victim, "r.h5") && (strstr(words, "run m.yaml -o") || strstr(words, "--resume r.h5"));
  if (may_replace) return;
  if (!prepare()) {
    finding("the tool does not run a small model");
    return;
  }
  if (!strcmp(target, "link") && symlink(victim, campaign_file("link")) != 0) return;
  if (!strcmp(target, "hard") && link(campaign_file(victim), campaign_file("hard")) != 0) return;
  size_t size, size_after;
  char *before = read_file(campaign_file(victim), &size);
  snprintf(command, sizeof command, "'%s' %s", campaign_tool(), words);
  int status = in_folder(command);
  char *after = read_file(campaign_file(victim), &size_after);
  if (!after || size != size_after || memcmp(before, after, size) != 0) finding("'carom %s' changed %s", words, victim);
  if (status == 0 && !strstr(words, "compare m.json")) finding("'carom %s' ends with status 0", words);
  if (status < 0 || status > 3) finding("'carom %s' ends with status %d", words, status);
  free(before), free(after);
}

const campaign_kind campaign_paths = {"paths", "files written over", run};
