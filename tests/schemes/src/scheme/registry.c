// A tree for scripts/check-schemes, not compiled: what it must find, and what it must let pass.
static const scheme_type *const members[] = {
    &scheme_smooth,
    &scheme_moreau,
    &scheme_event,
};
