// Marks what libcarom.so exports; everything else in it is hidden.
#ifndef CAROM_EXPORT_H
#define CAROM_EXPORT_H

#define CAROM_API __attribute__((visibility("default")))

#endif
