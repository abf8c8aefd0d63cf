type Options<Item, Result> = {
  /** Processes several items together and returns their results in the items' order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>
  readonly maxItems: number
  /** Maximum concurrent runs. */
  readonly maxRuns: number
  /**
   * Returns whether a single item might have caused the error. If so, each item of the batch is run again alone. By
   * default, no item is run again.
   */
  readonly isOfOneItem?: (error: unknown) => boolean
}

/**
 * Creates a function that processes single items by calling `run` for several items together.
 *
 * If fewer than `maxRuns` runs are in flight, an item runs immediately. Otherwise it waits, and runs together with the
 * other waiting items when a run ends. Every run starts after its items were submitted, so a result is never older than
 * its request.
 */
export function createBatch<Item, Result>(options: Options<Item, Result>): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }
  const waiting: Waiting[] = []
  let runs = 0

  function startRuns(): void {
    while (waiting.length > 0 && runs < options.maxRuns) {
      runs += 1
      void runAll(waiting.splice(0, options.maxItems)).finally(() => {
        runs -= 1
        startRuns()
      })
    }
  }

  async function runAll(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await options.run(batch.map(({ item }) => item))
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result))
    } catch (error) {
      if (batch.length > 1 && options.isOfOneItem?.(error)) await runEach(batch)
      else for (const { reject } of batch) reject(error)
    }
  }

  async function runEach(batch: readonly Waiting[]): Promise<void> {
    for (const one of batch) await runAll([one])
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      startRuns()
    })
}
