// The elastic energy of two convex bodies that overlap, and its gradient. With the volume V of the overlap and its
// centre c
//   U/k = V D,   D = Σ w_i d_i / Σ w_i,   w_i = d_i^-4 h_i^-8,   h_i^8 = d_i^8 + Σ δ_ij^8,
// where d_i is the depth of c below face i, and δ_ij that of corner j of the other body below the plane of this face,
// where it is below. All faces of both bodies count; those into which the other body reaches least decide. Sums take
// the place of the least and the most, so that U is smooth. Between parallel faces that overlap by d over the area A, U
// is ½ k A d²; on a half space U is the integral of the depth over V. U is a function of the poses alone, and what acts
// on the bodies is its gradient, so that no energy is made.
//
// With A moving at v(x), n the outward normal of its boundary S within B, and m_i the outward normals of the faces,
//   dV = ∫ v·n,   V dc = ∫ (x - c) v·n   over S,
//   dd_i = -m_i·dc of a face of B, m_i·(v(c) - dc) of one of A;   dδ_ij = ∓m_i·v at the corner j.
#ifndef GEOMETRY_OVERLAP_H
#define GEOMETRY_OVERLAP_H

#include "geometry/convex.h"
#include "geometry/polytope.h"

// A face, and how deep points of the other body lie below it.
typedef struct overlap_face {
  vec3 m;               // outward normal
  vec3 foot;            // a point of its plane
  double depth;         // of the centre
  double share;         // a factor of its weight
  double reach, slope;  // Σ δ⁸ and Σ δ⁷ over the points below it
  vec3 turn;            // Σ δ⁷ x × m
} overlap_face;

typedef struct overlap {
  vec3 origin;   // near the overlap
  double scale;  // a length like its depth
  double volume;
  vec3 moment;                    // ∫ x dV; here and below places are relative to the origin
  vec3 area, turn;                // of the boundary S: ∫ n and ∫ x × n
  mat3 area_moment, turn_moment;  // ∫ n xᵀ and ∫ (x × n) xᵀ
  bool outside;             // by rounding the centre does not lie within both: the overlap is too small to be seen
  double weight, weighted;  // Σ w, Σ w d; of all faces Σ w m and Σ w m/d, and of those of A alone
  vec3 normals[2], normals_over_depth[2];
  vec3 push[2], push_turn[2];  // ±Σ w m δ⁷/h⁸ and ±Σ w d m δ⁷/h⁸ at the points below the faces, and their moments
} overlap;

// On A, per stiffness, the moment about `at`.
typedef struct overlap_force {
  double volume, energy;
  vec3 at, force, moment;
} overlap_force;

void overlap_begin(overlap *o, vec3 origin, double scale);
// A part of a boundary: its outward normal, a point of it relative to the origin, its size and the integrals of x and x
// xᵀ over it. In the plane `size` is the length. Only of A: the integrals over S.
void overlap_add_boundary(overlap *o, bool planar, bool of_first, vec3 n, vec3 point, double size, vec3 first,
                          const mat3 *second);
// The boundary of the overlap of two polytopes, the first at a pose in the axes of the second.
void overlap_add_polytopes(overlap *o, const polytope *a, pose at_a, const polytope *b);
vec3 overlap_centre(const overlap *o);
// Faces: each with the points of the other body, and then as a whole.
overlap_face overlap_face_of(vec3 m, vec3 foot, double depth, double share);
void overlap_face_over(const overlap *o, overlap_face *f, vec3 point);
void overlap_add_face(overlap *o, bool of_first, const overlap_face *f);
// Returns false if nothing overlaps.
bool overlap_end(const overlap *o, overlap_force *to);

// A body in space: the shape itself, and a polytope of its size.
typedef struct overlap_body {
  const convex *shape;
  const polytope *hull;
  bool exact;    // the shape is this polytope; its sides are those of convex_type otherwise
  double share;  // of the weight of its faces, see overlap_share
  pose at;
} overlap_body;

// The faces of the larger body count before those of the smaller one, where the other reaches as deep below both. It
// makes a difference only where sides lean: then the pressure is that on the larger face. Of bodies of one size both
// count alike.
double overlap_share(double size, double other);

// The same in one piece, in the axes in which the poses are. `near` is a place near the overlap, `scale` a length like
// its depth.
bool overlap_of_bodies(const overlap_body *a, const overlap_body *b, vec3 near, double scale, overlap_force *to);

#endif
