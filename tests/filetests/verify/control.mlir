// What upstream refuses of loops, branches and blocks is refused, where it stands.
// test verify
func.func @affine(%m: memref<?x8xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to %n step 0 { // expected-error {{step must be positive, found 0}}
  }
  %e = memref.dim %m, %c0 : memref<?x8xf32>
  scf.for %k = %c0 to %e step %e {
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) { // expected-error {{cannot be a dimension: it is no symbol}}
      affine.store %x, %m[%i, symbol(%i)] : memref<?x8xf32> // expected-error {{cannot be a symbol: it is not fixed}}
    }
  }
  affine.for %i = 0 to %e {
    affine.store %x, %m[%i] : memref<?x8xf32> // expected-error {{has a map of 1 results for a memref of rank 2}}
    %j = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %v = affine.load %m[%j, 0] : memref<?x8xf32>
  }
  %r = affine.parallel (%i) = (0) to (8) step (0) reduce ("addf") -> (f32) { // expected-error {{steps must be positive, found [0]}}
    affine.yield %x : f32
  }
  %s = affine.parallel (%i) = (0) to (8) reduce ("addi") -> (f32) { // expected-error {{joins f32 by 'addi', expected one of addf, maximumf, maxnumf}}
    affine.yield %x : f32
  }
  %t = affine.parallel (%i) = (0) to (8) reduce ("addf") -> (f32) {
    affine.yield %n : index // expected-error {{yields (index), 'affine.parallel' has results (f32)}}
  }
  return
}
// -----
func.func @forall(%m: memref<8xf32>, %n: index, %x: f32) {
  scf.forall (%i, %j) in (4, 4) { // expected-error {{has 1 mappings for 2 counters}}
  } {mapping = [#gpu.thread<x>]}
  scf.forall (%i, %j) in (4, 4) { // expected-error {{maps two counters to #gpu.thread<x>}}
  } {mapping = [#gpu.thread<x>, #gpu.thread<x>]}
  scf.forall (%i, %j) in (4, 4) { // expected-error {{maps to #gpu.block and #gpu.thread}}
  } {mapping = [#gpu.thread<x>, #gpu.block<y>]}
  scf.forall (%i, %j) in (4, 4) { // expected-error {{maps to coordinates and to digits of a flat id}}
  } {mapping = [#gpu.thread<x>, #gpu.thread<linear_dim_1>]}
  scf.forall (%i) in (4) { // expected-error {{maps to 3 : i64, expected such as #gpu.thread<x>}}
  } {mapping = [3]}
  scf.forall (%i) = (1) to (4) step (1) { // expected-error {{counts from 0 by 1 where it is mapped to ids}}
  } {mapping = [#gpu.thread<x>]}
  scf.forall (%i) = (0) to (4) step (0) { // expected-error {{steps must be positive}}
  }
  return
}
// -----
func.func @parallel(%c0: index, %x: f32, %y: i32) {
  %zero = arith.constant 0 : index
  scf.parallel (%i) = (%c0) to (%c0) step (%zero) { // expected-error {{steps must be positive}}
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%c0, %c0) step (%c0) { // expected-error {{has 1 lower bounds, 2 upper bounds and 1 steps}}
    scf.reduce
  }
  %r = scf.parallel (%i) = (%c0) to (%c0) step (%c0) init (%x) -> f32 { // expected-error {{joins (i32), the initial values are (f32)}}
    scf.reduce(%y : i32) {
    ^bb0(%a: i32, %b: i32):
      scf.reduce.return %a : i32
    }
  }
  %s = scf.parallel (%i) = (%c0) to (%c0) step (%c0) init (%x) -> f32 {
    scf.reduce(%x : f32) { // expected-error {{region takes (f32), expected (f32, f32)}}
    ^bb0(%a: f32):
      scf.reduce.return %a : f32
    }
  }
  scf.reduce // expected-error {{must end the body of scf.parallel}}
}
// -----
func.func @blocks(%c: i1, %x: f32, %y: i32) {
  cf.br ^next(%x : f32) // expected-error {{passes (f32) to a block that takes (i32)}}
^next(%a: i32):
  cf.cond_br %c, ^one, ^two
^one:
  %v = arith.addi %a, %y : i32
  cf.br ^two
^two:
  %w = arith.addi %v, %y : i32 // expected-error {{operand number 0 '%v' is not defined where it is used}}
  return
}
// -----
func.func @first(%c: i1) {
  %v = arith.constant 1 : i32 // expected-error {{a block of several must end in an operation that goes on or returns}}
^next:
  cf.switch %v : i32, [ // expected-error {{has the case 1 twice}}
    default: ^last,
    1: ^last,
    1: ^last
  ]
^last:
  return
}
// -----
func.func @structured(%c: i1) {
  scf.if %c { // expected-error {{region 'then_region' must have one block, found 2}}
    cf.br ^next
  ^next:
    scf.yield
  }
  return
}
// -----
func.func @f(%a: i8) {
  cf.switch %a : i8, [default: ^bb1, 300: ^bb2] // expected-error {{300 does not fit in i8}}
^bb1:
  return
^bb2:
  return
}
// -----
func.func @f(%a: f32) {
  %x, %y = gpu.rotate %a, 0, 4294967296 : f32 // expected-error {{4294967296 does not fit in i32}}
  return
}
