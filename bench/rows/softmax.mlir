// The softmax of every row of an MxN matrix, N <= 1024: a workgroup holds its row in registers.
// lanewise.args M = 64, N = 1000 : x = normal(M, N), y = empty(M, N) ; grid = (M, 1, 1)
gpu.func @softmax(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %row = gpu.block_id x
  %columns = memref.dim %x, %c1 : memref<?x?xf32>
  %inside = vector.create_mask %columns : vector<1024xi1>
  %values = vector.transfer_read %x[%row, %c0], %lowest, %inside {in_bounds = [true]} : memref<?x?xf32>, vector<1024xf32>
  %max = vector.multi_reduction <maximumf>, %values, %lowest [0] : vector<1024xf32> to f32
  %max_tile = vector.broadcast %max : f32 to vector<1024xf32>
  %distances = arith.subf %values, %max_tile : vector<1024xf32>
  %powers = math.exp %distances : vector<1024xf32>
  %sum = vector.multi_reduction <add>, %powers, %zero [0] : vector<1024xf32> to f32
  %sum_tile = vector.broadcast %sum : f32 to vector<1024xf32>
  %result = arith.divf %powers, %sum_tile : vector<1024xf32>
  vector.transfer_write %result, %y[%row, %c0], %inside {in_bounds = [true]} : vector<1024xf32>, memref<?x?xf32>
  gpu.return
}
