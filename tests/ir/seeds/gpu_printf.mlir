module {
  func.func private @show(%i: index) {
    gpu.printf "%d: ", %i : index
    %v = vector.step : vector<4xindex>
    vector.print %v : vector<4xindex>
    return
  }
  gpu.func @of_subgroups() kernel
      attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "subgroup",
                  lanewise.subgroup_size = 32 : i64} {
    %i = gpu.subgroup_id : index
    func.call @show(%i) : (index) -> ()
    gpu.return
  }
}
