// Loaded into an attacked process before its program: collects garbage and reports what is left on request.
process.on('message', () => {
  for (let turn = 0; turn < 3; turn += 1) globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  process.send({ heapUsed, external })
})
process.channel?.unref()
