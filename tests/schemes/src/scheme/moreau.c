int x = event_find();   // found: of another scheme
int y = smooth_step();  // found: also of the first one
