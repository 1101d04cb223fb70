typedef enum shape { SHAPE_POINT, SHAPE_BOX, SHAPE_COUNT } shape;
extern const contact_type contact_stop;
