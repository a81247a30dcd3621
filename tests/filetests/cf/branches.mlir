// Blocks that branch: a loop, a diamond, a shared tail, several ways out of a loop, a loop in a loop, switches.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// lanewise.args n = index(6), x = normal(64), y = empty(6, 64); grid = 6

// A loop tested at its head, whose vector is used behind it.
gpu.func @counted(%N: memref<6xi32>, %X: memref<64xf32>, %Y: memref<6x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %b = gpu.block_id x
  %n = memref.load %N[%b] : memref<6xi32>
  %x = vector.transfer_read %X[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  cf.br ^head(%zero, %x : i32, vector<64xf32>)
^head(%i: i32, %v: vector<64xf32>):
  %go = arith.cmpi slt, %i, %n : i32
  cf.cond_br %go, ^body, ^done
^body:
  %w = arith.addf %v, %x : vector<64xf32>
  %j = arith.addi %i, %one : i32
  cf.br ^head(%j, %w : i32, vector<64xf32>)
^done:
  vector.transfer_write %v, %Y[%b, %c0] {in_bounds = [true]} : vector<64xf32>, memref<6x64xf32>
  gpu.return
}
// -----
// `a && b || c` as a front end writes it: both arms are reached in several ways.
// lanewise.args n = index(6), y = empty(6); grid = 6
gpu.func @short_circuit(%N: memref<6xi32>, %Y: memref<6xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %b = gpu.block_id x
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %n = memref.load %N[%b] : memref<6xi32>
  %a = arith.cmpi sgt, %n, %one : i32
  cf.cond_br %a, ^and, ^or
^and:
  %c = arith.cmpi slt, %n, %four : i32
  cf.cond_br %c, ^yes(%one : i32), ^or
^or:
  %d = arith.cmpi eq, %n, %two : i32
  %e = arith.cmpi eq, %n, %one : i32
  %f = arith.ori %d, %e : i1
  cf.cond_br %f, ^yes(%two : i32), ^no
^yes(%r: i32):
  %ten = arith.constant 10 : i32
  %s = arith.addi %r, %ten : i32
  cf.br ^end(%s : i32)
^no:
  %m = arith.constant -1 : i32
  cf.br ^end(%m : i32)
^end(%t: i32):
  memref.store %t, %Y[%b] : memref<6xi32>
  gpu.return
}
// -----
// A search: two ways out of the loop, with values of their own, and a loop in it that ends where it is tested.
// lanewise.args n = index(6), y = empty(6); grid = 6
gpu.func @search(%N: memref<6xi32>, %Y: memref<6xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %b = gpu.block_id x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  %n = memref.load %N[%b] : memref<6xi32>
  cf.br ^outer(%n, %zero : i32, i32)
^outer(%v: i32, %steps: i32):
  %far = arith.cmpi sge, %steps, %three : i32
  cf.cond_br %far, ^gave_up, ^inner(%v, %zero : i32, i32)
^inner(%u: i32, %k: i32):
  %w = arith.addi %u, %one : i32
  %l = arith.addi %k, %one : i32
  %again = arith.cmpi slt, %l, %three : i32
  cf.cond_br %again, ^inner(%w, %l : i32, i32), ^test
^test:
  %found = arith.cmpi eq, %w, %seven : i32
  %next = arith.addi %steps, %one : i32
  cf.cond_br %found, ^found(%next : i32), ^outer(%w, %next : i32, i32)
^gave_up:
  %minus = arith.subi %zero, %v : i32
  cf.br ^end(%minus : i32)
^found(%s: i32):
  cf.br ^end(%s : i32)
^end(%r: i32):
  memref.store %r, %Y[%b] : memref<6xi32>
  gpu.return
}
// -----
// A switch with cases that fall into one another, several returns, and a negative case.
// lanewise.args n = integers(-1, 4, 6), y = full(6, value=5); grid = 6
gpu.func @switch(%N: memref<6xi32>, %Y: memref<6xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %b = gpu.block_id x
  %one = arith.constant 1 : i32
  %n = memref.load %N[%b] : memref<6xi32>
  cf.switch %n : i32, [
    default: ^other,
    -1: ^low(%n : i32),
    1: ^low(%one : i32),
    3: ^high
  ]
^low(%v: i32):
  memref.store %v, %Y[%b] : memref<6xi32>
  cf.br ^high
^high:
  %a = memref.load %Y[%b] : memref<6xi32>
  %c = arith.addi %a, %one : i32
  memref.store %c, %Y[%b] : memref<6xi32>
  gpu.return
^other:
  gpu.return
}
// -----
// Blocks in the middle of a block, and in a loop.
// lanewise.args n = index(6), y = empty(6); grid = 6
gpu.func @region(%N: memref<6xi32>, %Y: memref<6xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %b = gpu.block_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %two = arith.constant 2 : i32
  %n = memref.load %N[%b] : memref<6xi32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %n) -> (i32) {
    %s = scf.execute_region -> i32 {
      %odd = arith.andi %acc, %two : i32
      %is = arith.cmpi eq, %odd, %two : i32
      cf.cond_br %is, ^yes, ^no
    ^yes:
      %a = arith.addi %acc, %two : i32
      scf.yield %a : i32
    ^no:
      %m = arith.muli %acc, %two : i32
      scf.yield %m : i32
    }
    scf.yield %s : i32
  }
  scf.execute_region {
    memref.store %r, %Y[%b] : memref<6xi32>
    scf.yield
  }
  gpu.return
}
// -----
// Blocks that use what a later one of the text defines.
// lanewise.args x = index(64), y = empty(64)
gpu.func @out_of_order(%X: memref<64xf32>, %Y: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  cf.br ^third
^first:
  vector.transfer_write %y, %Y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
^second:
  %y = arith.addf %x, %x : vector<64xf32>
  cf.br ^first
^third:
  %x = vector.transfer_read %X[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  cf.br ^second
}
