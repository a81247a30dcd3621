gpu.func @constants(%s: i32) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %two = index.constant 2
  %t = tensor.splat %s : tensor<4xi32>
  %e = tensor.extract %t[%two] : tensor<4xi32>
  vector.print %e : i32
  gpu.return
}
