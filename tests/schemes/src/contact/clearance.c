static const clearance_type *const all[] = {
    &clearance_guide,  // in the plane
    &clearance_socket,
};
