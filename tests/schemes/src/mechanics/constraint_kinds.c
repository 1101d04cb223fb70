static const constraint_kind kinds[] = {
    {.name = "gear", .type = &constraint_couple},
};
