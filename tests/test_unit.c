#include "check.h"

#include "text/unit.h"

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
  CHECK_NEAR(factor_of("deg", DIM_ANGLE, 3), acos(-1) / 180, 1e-17);
  CHECK_NEAR(factor_of("lbf", DIM_FORCE, 3), 0.45359237 * 9.80665, 1e-15);
}

static void products_are_read_as_far_as_they_go(void) {
  CHECK_NEAR(factor_of("N/m", DIM_STIFFNESS, 3), 1, 0);
  CHECK_NEAR(factor_of("N/mm)", DIM_STIFFNESS, 4), 1000, 0);
  CHECK_NEAR(factor_of("kg*m^2 + 1", DIM_INERTIA, 6), 1, 0);
  CHECK_NEAR(factor_of("m/s^2", DIM_ACCELERATION, 5), 1, 0);
  CHECK_NEAR(factor_of("km/h", DIM_SPEED, 4), 1000.0 / 3600, 0);
  CHECK_NEAR(factor_of("s^-1", DIM_PER_TIME, 4), 1, 0);
  CHECK_NEAR(factor_of("m^n", DIM_LENGTH, 1), 1, 0);      // not a number: the power is of the quantity
  CHECK_NEAR(factor_of("N*sin(x)", DIM_FORCE, 1), 1, 0);  // a function ends it
  CHECK_NEAR(factor_of("N*length", DIM_FORCE, 1), 1, 0);  // so does any other name
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
  CHECK_TEXT(dimension_text(DIM_INERTIA, text), "kg*m^2");
  CHECK_TEXT(dimension_text(DIM_FORCE, text), "N");
  CHECK_TEXT(dimension_text(DIM_TORQUE, text), "N*m");
  CHECK_TEXT(dimension_text(DIM_STIFFNESS, text), "N/m");
  CHECK_TEXT(dimension_text(DIM_DAMPING, text), "N*s/m");
  CHECK_TEXT(dimension_text(DIM(2, 1, -3), text), "W");
  CHECK_TEXT(dimension_text(DIM(-1, 1, -2), text), "Pa");
  CHECK_TEXT(dimension_text(DIM_PER_TIME, text), "1/s");
  CHECK_TEXT(dimension_text(DIM_RATE, text), "rad/s");
  CHECK_TEXT(dimension_text(DIM_TURNS(0, 0, -2, 1), text), "rad/s^2");
  CHECK_TEXT(dimension_text(DIM_TURNS(1, 0, -1, 1), text), "m/s");  // a radius times an angular speed
  CHECK_TEXT(dimension_text(DIM_TURNS(2, 1, -2, -1), text), "N*m/rad");
  CHECK_TEXT(dimension_text(DIM_NONE, text), "1");
  CHECK_TEXT(dimension_text(DIM_ANY, text), "1");
  CHECK_TEXT(dimension_text(DIM(-1, -1, -2), text), "1/kg/m/s^2");
  CHECK(strlen(dimension_text(DIM(18, 18, -18), text)) < 32);
  CHECK_TEXT(dimension_name(DIM_MASS), "a mass");
  CHECK_TEXT(dimension_name(DIM_ANGLE), "an angle");
  CHECK(dimension_name(DIM(5, 0, 0)) == NULL);
  CHECK(dimension_name(DIM_ANY) == NULL);
}

// What is written is read again.
static void texts_of_dimensions_are_units(void) {
  for (int m = -3; m <= 3; m++)
    for (int kg = -2; kg <= 2; kg++)
      for (int s = -4; s <= 4; s++)
        for (int rad = -1; rad <= 1; rad++) {
          char text[32];
          dimension d = DIM_TURNS(m, kg, s, rad);
          if (strncmp(dimension_text(d, text), "1/", 2) == 0) continue;  // not behind a number
          if (!CHECK(dimension_equal(dimension_of_unit(text), d))) printf("    %s\n", text);
        }
  CHECK_EQUAL(dimension_of_unit("1"), DIM_NONE);
  CHECK_EQUAL(dimension_of_unit(""), DIM_ANY);
  CHECK_EQUAL(dimension_of_unit("N, N*m"), DIM_ANY);
}

static void dimensions_pack_and_unpack(void) {
  for (int m = -20; m <= 20; m += 5)
    for (int kg = -20; kg <= 20; kg += 4)
      for (int s = -20; s <= 20; s++)
        for (int rad = -20; rad <= 20; rad += 8) {
          dimension_exponents e = dimension_unpack(dimension_pack((dimension_exponents){m, kg, s, rad}));
          CHECK(e.m == m && e.kg == kg && e.s == s && e.rad == rad);
        }
  CHECK_EQUAL(dimension_pack((dimension_exponents){21, 0, 0, 0}), DIM_ANY);
  CHECK_EQUAL(dimension_product(DIM_FORCE, DIM_LENGTH, 1), DIM_TORQUE);
  CHECK_EQUAL(dimension_product(DIM_FORCE, DIM_LENGTH, -1), DIM_STIFFNESS);
  CHECK(dimension_equal(DIM_ANY, DIM_MASS) && dimension_equal(DIM_MASS, DIM_ANY));
  CHECK(!dimension_equal(DIM_NONE, DIM_MASS));
  CHECK(dimension_equal(DIM_TURNS(1, 0, -1, 1), DIM_SPEED));  // the angle does not count
  CHECK(!dimension_equal(DIM_ANGLE, DIM_LENGTH));
}

static const char *advice(dimension wanted, dimension got, const char *text) {
  static char buffer[DIMENSION_ADVICE];
  return dimension_advice(wanted, got, text, true, buffer);
}

static void complaints_say_what_is_wanted_and_what_to_write(void) {
  char complaint[DIMENSION_COMPLAINT];
  CHECK_TEXT(dimension_complaint(DIM_ANGLE, DIM_RATE, complaint), "an angle in rad, not an angular speed in rad/s");
  CHECK_TEXT(dimension_complaint(DIM_FORCE, DIM(1, 1, 0), complaint), "a force in N, not in kg*m");
  CHECK_TEXT(dimension_complaint(DIM_NONE, DIM_MASS, complaint), "an angle or a plain number, not a mass in kg");
  CHECK_TEXT(advice(DIM_ANGLE, DIM_RATE, "300 rpm"), "write 300 rpm * t");
  CHECK_TEXT(advice(DIM_ANGLE, DIM_RATE, "w + 1"), "write (w + 1) * t");
  CHECK_TEXT(advice(DIM_ANGLE, DIM_TIME, "t"), "a factor is missing: write for instance 1 rad/s * t");
  CHECK_TEXT(advice(DIM_FORCE, DIM_LENGTH, "a.x"), "a factor is missing: write for instance 1 N/m * a.x");
  CHECK_TEXT(advice(DIM_FORCE, DIM(1, 1, 0), "a.x*1 kg"), "a factor is missing: write for instance (a.x*1 kg)/(1 s^2)");
  CHECK_TEXT(advice(DIM_LENGTH, DIM_ANGLE, "300 rpm*t"),
             "a length such as a radius is missing: write for instance 10 mm * (300 rpm*t)");
  CHECK_TEXT(advice(DIM_FORCE, DIM_MASS, "5 kg"), "the weight of a mass is 5 kg * g0");
  CHECK_TEXT(advice(DIM_FORCE, DIM_MASS, "-M*9.81"),
             "give the acceleration of free fall its unit: 9.81 m/s^2, or write g0");
  CHECK_TEXT(advice(DIM_MASS, DIM_LENGTH, "3 m"), "give it in kg");
  char text[400];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = 0;
  CHECK_CONTAINS(advice(DIM_FORCE, DIM_LENGTH, text), "(...)");
}

int main(void) {
  RUN(units_have_their_size);
  RUN(products_are_read_as_far_as_they_go);
  RUN(every_unit_finds_itself);
  RUN(dimensions_are_named);
  RUN(texts_of_dimensions_are_units);
  RUN(dimensions_pack_and_unpack);
  RUN(complaints_say_what_is_wanted_and_what_to_write);
  return check_summary();
}
