// What cannot be said in other operations is refused by name.
// test compile
func.func private @f(%n: i32) -> i32 {
  %m = func.call @g(%n) : (i32) -> i32 // expected-error {{calls itself: @g -> @f -> @g; a kernel has no stack for that}}
  return %m : i32
}
func.func private @g(%n: i32) -> i32 {
  %m = func.call @f(%n) : (i32) -> i32
  return %m : i32
}
gpu.func @k(%N: memref<1xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %n = memref.load %N[%c0] : memref<1xi32>
  %m = func.call @g(%n) : (i32) -> i32
  memref.store %m, %N[%c0] : memref<1xi32>
  gpu.return
}
// -----
func.func private @marked(%m: memref<1xi32> {llvm.align = 16 : i64}) {
  return
}
gpu.func @k(%N: memref<1xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  func.call @marked(%N) : (memref<1xi32>) -> () // expected-error {{whose arguments have attributes, which lanewise does not obey}}
  gpu.return
}
// -----
gpu.func @irreducible(%N: memref<1xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} { // expected-error {{entered at 2 of them: the graph of its blocks is irreducible}}
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %n = memref.load %N[%c0] : memref<1xi32>
  %c = arith.cmpi eq, %n, %one : i32
  cf.cond_br %c, ^a, ^b
^a:
  %d = arith.cmpi ne, %n, %one : i32
  cf.cond_br %d, ^b, ^end
^b:
  cf.br ^a
^end:
  gpu.return
}
// -----
gpu.func @forever(%N: memref<1xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} { // expected-error {{go round for ever: no way leads out of them}}
  cf.br ^a
^a:
  cf.br ^a
}
// -----
gpu.func @finer(%N: memref<32xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %ones = arith.constant dense<1> : vector<32xi32>
  scf.forall (%i) in (1) { // expected-error {{maps to #gpu.warp<x>, which differs within a workgroup}}
    vector.transfer_write %ones, %N[%c0] : vector<32xi32>, memref<32xi32>
  } {mapping = [#gpu.warp<x>]}
  gpu.return
}
// -----
gpu.func @vectors(%N: memref<32xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i32
  %v = vector.transfer_read %N[%c0], %p : memref<32xi32>, vector<32xi32>
  scf.forall (%i) in (32) { // expected-error {{is spread over #gpu.thread<x> and takes a vector<32xi32> of a workgroup from outside}}
    %n = vector.extract %v[3] : i32 from vector<32xi32>
    memref.store %n, %N[%i] : memref<32xi32>
  } {mapping = [#gpu.thread<x>]}
  gpu.return
}
// -----
gpu.func @meeting(%N: memref<32xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %ones = arith.constant dense<1> : vector<32xi32>
  vector.transfer_write %ones, %N[%c0] : vector<32xi32>, memref<32xi32>
  scf.forall (%i) in (32) {
    gpu.barrier // expected-error {{waits for other threads inside 'lanewise.threads'}}
  } {mapping = [#gpu.thread<x>]}
  gpu.return
}
// -----
gpu.func @rows(%N: memref<32xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 2, 1>, lanewise.scope = "subgroup"} {
  %one = arith.constant 1 : i32
  scf.forall (%i) in (2) { // expected-error {{only the x of a workgroup along x is a number of subgroups}}
    memref.store %one, %N[%i] : memref<32xi32>
  } {mapping = [#gpu.warp<x>]}
  gpu.return
}
// -----
module attributes {lanewise.stage = "layout", lanewise.target = "sm_90"} {
  gpu.func @late(%N: memref<32xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %one = arith.constant 1 : i32
    affine.for %i = 0 to 32 { // expected-error {{cannot stand in the layout stage: it is said in other operations}}
      affine.store %one, %N[%i] : memref<32xi32> // expected-error {{cannot stand in the layout stage}}
    }
    gpu.return
  }
}
