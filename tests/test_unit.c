#include "check.h"

#include "model/unit.h"

static double factor_of(const char *text, dimension wanted, size_t length) {
  double factor = NAN;
  dimension dim = DIM_ANY;
  CHECK_EQUAL(unit_product(text, &factor, &dim), length);
  CHECK_EQUAL(dim, wanted);
  return factor;
}

static void units_have_their_size(void) {
  CHECK_NEAR(factor_of("mm", DIM_LENGTH, 2), 1e-3, 0);
  CHECK_NEAR(factor_of("GPa", DIM(-1, 1, -2), 3), 1e9, 0);
  // One rounding each in pi and in the division.
  CHECK_NEAR(factor_of("rpm", DIM_RATE, 3), acos(-1) / 30, 1e-16);
  CHECK_NEAR(factor_of("deg", DIM_NONE, 3), acos(-1) / 180, 1e-17);
  CHECK_NEAR(factor_of("lbf", DIM_FORCE, 3), 0.45359237 * 9.80665, 1e-15);
}

static void products_are_read_as_far_as_they_go(void) {
  CHECK_NEAR(factor_of("N/m", DIM_STIFFNESS, 3), 1, 0);
  CHECK_NEAR(factor_of("N/mm)", DIM_STIFFNESS, 4), 1000, 0);
  CHECK_NEAR(factor_of("kg*m^2 + 1", DIM_INERTIA, 6), 1, 0);
  CHECK_NEAR(factor_of("m/s^2", DIM_ACCELERATION, 5), 1, 0);
  CHECK_NEAR(factor_of("km/h", DIM_SPEED, 4), 1000.0 / 3600, 0);
  CHECK_NEAR(factor_of("s^-1", DIM_RATE, 4), 1, 0);
  CHECK_NEAR(factor_of("m^n", DIM_LENGTH, 1), 1, 0);          // not a number: the power is of the quantity
  CHECK_NEAR(factor_of("N*sin(x)", DIM_FORCE, 1), 1, 0);      // a function ends it
  CHECK_NEAR(factor_of("N*length", DIM_FORCE, 1), 1, 0);      // so does any other name
  CHECK_NEAR(factor_of("mm * 2", DIM_LENGTH, 2), 1e-3, 0);
  double factor;
  dimension dim;
  CHECK_EQUAL(unit_product("min(1, 2)", &factor, &dim), 0);
  CHECK_EQUAL(unit_product("lenght", &factor, &dim), 0);
  CHECK_EQUAL(unit_product("", &factor, &dim), 0);
  CHECK_EQUAL(unit_product("m^9*m^9*m^9", &factor, &dim), 7);  // 18 is in range, 27 is not
}

static void every_unit_finds_itself(void) {
  int count;
  const unit *units = unit_list(&count);
  CHECK(count > 30);
  for (int i = 0; i < count; i++) {
    CHECK(unit_find(units[i].name, strlen(units[i].name)) == &units[i]);
    CHECK(units[i].factor > 0 && units[i].help[0]);
  }
  CHECK(!unit_find("m", 0));
}

static void dimensions_are_named(void) {
  char text[32];
  CHECK_TEXT(dimension_text(DIM_SPEED, text), "m/s");
  CHECK_TEXT(dimension_text(DIM_INERTIA, text), "kg·m²");
  CHECK_TEXT(dimension_text(DIM_FORCE, text), "kg·m/s²");
  CHECK_TEXT(dimension_text(DIM_RATE, text), "1/s");
  CHECK_TEXT(dimension_text(DIM_NONE, text), "1");
  CHECK_TEXT(dimension_text(DIM_ANY, text), "1");
  CHECK_TEXT(dimension_text(DIM(-1, -1, -2), text), "1/kg·m·s²");
  CHECK(strlen(dimension_text(DIM(18, 18, -18), text)) < 32);
  CHECK_TEXT(dimension_name(DIM_MASS), "a mass");
  CHECK(dimension_name(DIM(5, 0, 0)) == NULL);
  CHECK(dimension_name(DIM_ANY) == NULL);
}

static void dimensions_pack_and_unpack(void) {
  for (int m = -20; m <= 20; m += 5)
    for (int kg = -20; kg <= 20; kg += 4)
      for (int s = -20; s <= 20; s++) {
        dimension_exponents e = dimension_unpack(dimension_pack((dimension_exponents){m, kg, s}));
        CHECK(e.m == m && e.kg == kg && e.s == s);
      }
  CHECK_EQUAL(dimension_pack((dimension_exponents){21, 0, 0}), DIM_ANY);
  CHECK(dimension_equal(DIM_ANY, DIM_MASS) && dimension_equal(DIM_MASS, DIM_ANY));
  CHECK(!dimension_equal(DIM_NONE, DIM_MASS));
}

int main(void) {
  RUN(units_have_their_size);
  RUN(products_are_read_as_far_as_they_go);
  RUN(every_unit_finds_itself);
  RUN(dimensions_are_named);
  RUN(dimensions_pack_and_unpack);
  return check_summary();
}
