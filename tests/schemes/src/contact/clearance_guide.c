bool own = strcmp(e->type->name, "guide") == 0 && e->type == &clearance_guide;
