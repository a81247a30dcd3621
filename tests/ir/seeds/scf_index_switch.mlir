gpu.func @f(%N: memref<6xindex>, %X: memref<64xf32>, %Y: memref<6x64xf32>, %C: memref<6xi32>)
    kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %b = gpu.block_id x
  %pad = arith.constant 0.0 : f32
  %two = arith.constant dense<2.0> : vector<64xf32>
  %n = memref.load %N[%b] : memref<6xindex>
  %minus = arith.constant -1 : index
  %five = arith.constant 5 : index
  %is_five = arith.cmpi eq, %n, %five : index
  %m = arith.select %is_five, %minus, %n : index
  %x = vector.transfer_read %X[%c0], %pad {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %r:2 = scf.index_switch %m -> (vector<64xf32>, i32)
  case 1 {
    %s = arith.addf %x, %two : vector<64xf32>
    %t = arith.constant 10 : i32
    scf.yield %s, %t : vector<64xf32>, i32
  }
  case 3 {
    %s = arith.mulf %x, %two : vector<64xf32>
    %t = arith.constant 30 : i32
    scf.yield %s, %t : vector<64xf32>, i32
  }
  case -1 {
    %t = arith.constant 50 : i32
    scf.yield %two, %t : vector<64xf32>, i32
  }
  default {
    %t = arith.constant 7 : i32
    scf.yield %x, %t : vector<64xf32>, i32
  }
  vector.transfer_write %r#0, %Y[%b, %c0] {in_bounds = [true]} : vector<64xf32>, memref<6x64xf32>
  memref.store %r#1, %C[%b] : memref<6xi32>
  scf.index_switch %b
  case 2 {
    %t = arith.constant 99 : i32
    memref.store %t, %C[%b] : memref<6xi32>
    scf.yield
  }
  default {
    scf.yield
  }
  gpu.return
}
