#include "base/word.h"

#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 64 };

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c; }

static int smaller(int a, int b) { return a < b ? a : b; }

// Insertions, deletions, replacements and swaps of neighbours between two words.
static int distance(const char *a, const char *b) {
  int n = (int)strlen(a), m = (int)strlen(b), d[3][WORD_MAX + 1];
  int *before = d[0], *last = d[1], *row = d[2];
  for (int j = 0; j <= m; j++) last[j] = j;
  for (int i = 1; i <= n; i++) {
    row[0] = i;
    for (int j = 1; j <= m; j++) {
      bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = smaller(last[j - 1] + !same, smaller(last[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = smaller(row[j], before[j - 2] + 1);
    }
    int *oldest = before;
    before = last, last = row, row = oldest;
  }
  return last[m];
}

static bool begins(const char *word, const char *candidate) {
  for (; *word; word++, candidate++)
    if (lower(*word) != lower(*candidate)) return false;
  return true;
}

const char *word_nearest(const char *word, const char *const *candidates, int count) {
  size_t length = strlen(word);
  if (length == 0 || length > WORD_MAX) return NULL;
  int best = length <= 2 ? 0 : length <= 4 ? 1 : length <= 8 ? 2 : 3;
  const char *nearest = NULL;
  for (int i = 0; i < count; i++) {
    if (!candidates[i] || strlen(candidates[i]) > WORD_MAX) continue;
    int d = distance(word, candidates[i]);
    if (length >= 3 && begins(word, candidates[i])) d = smaller(d, 1);
    if (d > best || (nearest && d == best)) continue;
    best = d;
    nearest = candidates[i];
  }
  return nearest;
}
