#include "solve/packed_body.h"

// One piece or two of six speeds each, the same in J and B.
static bool is_on_free_bodies(const solve_matrix *W, int b) {
  int count = W->J.first[b + 1] - W->J.first[b];
  if (count < 1 || count > 2 || W->B.first[b + 1] - W->B.first[b] != count) return false;
  for (int k = 0; k < count; k++) {
    int j = W->J.first[b] + k, i = W->B.first[b] + k;
    if (W->J.width[j] != PACKED_SPEEDS || W->B.width[i] != PACKED_SPEEDS || W->J.at[j] % PACKED_SPEEDS ||
        W->J.at[j] != W->B.at[i] || W->J.offset[j] != W->B.offset[i])
      return false;
  }
  return true;
}

bool packed_suits(const solve_problem *p, block_kind kind) {
  const solve_matrix *W = &p->W;
  if (W->velocities == 0 || W->velocities % PACKED_SPEEDS || W->J.values != W->B.values) return false;
  for (int b = 0; b < p->block_count; b++)
    if (p->blocks[b].kind != kind || !is_on_free_bodies(W, b)) return false;
  return true;
}

static int choose_colour(const matrix_pieces *J, int block, uint64_t *used) {
  uint64_t taken = 0;
  int colour = 0;
  for (int k = J->first[block]; k < J->first[block + 1]; k++) taken |= used[J->at[k] / PACKED_SPEEDS];
  while (colour < PACKED_COLOURS && taken >> colour & 1) colour++;
  for (int k = J->first[block]; colour < PACKED_COLOURS && k < J->first[block + 1]; k++)
    used[J->at[k] / PACKED_SPEEDS] |= (uint64_t)1 << colour;
  return colour;
}

static int round_up(int count, int multiple) { return (count + multiple - 1) / multiple * multiple; }

packed_order packed_colour(const solve_problem *p, packed_list list, int group, uint64_t *used, int *place) {
  int count[PACKED_COLOURS + 1] = {0}, colours = 0;
  packed_order o = {0};
  memset(used, 0, (size_t)(p->W.velocities / PACKED_SPEEDS) * sizeof *used);
  for (int k = 0; k < list.count; k++) {
    int colour = choose_colour(&p->W.J, packed_listed(list, k), used);
    place[k] = colour, count[colour]++;
    colours = colour >= colours ? colour + 1 : colours;
  }
  for (int c = 0; c < colours; c++) o.start[c + 1] = o.start[c] + round_up(count[c], group), count[c] = o.start[c];
  for (int k = 0; k < list.count; k++) place[k] = count[place[k]]++;
  o.colours = colours;
  return o;
}

void packed_bodies(const matrix_pieces *J, int block, int none, int body[2]) {
  int from = J->first[block];
  body[0] = J->at[from] / PACKED_SPEEDS;
  body[1] = J->first[block + 1] - from > 1 ? J->at[from + 1] / PACKED_SPEEDS : none;
}

void packed_row(const matrix_pieces *J, int block, int i, double to[PACKED_ROW]) {
  int from = J->first[block], count = J->first[block + 1] - from;
  memset(to, 0, PACKED_ROW * sizeof *to);
  for (int k = 0; k < count; k++) {
    const double *values = J->values + J->offset[from + k] + PACKED_SPEEDS * i;
    memcpy(to + 4 * k, values, 4 * sizeof *values);
    memcpy(to + 8 + 2 * k, values + 4, 2 * sizeof *values);
  }
}
