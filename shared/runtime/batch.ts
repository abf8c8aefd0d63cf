/** Bounds of a batch. */
type Options<Item, Result> = {
  /** Does the work of several items at once, and answers their results in the items' order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>
  /** Items in one run. */
  readonly maxItems: number
  /** Runs under way at once; what comes meanwhile waits for the next. */
  readonly maxRuns: number
  /** Tells whether one item alone may have made a run fail: then each is run again by itself. By default none may. */
  readonly isOfOneItem?: (error: unknown) => boolean
}

/**
 * Makes a function of one item out of one of many: what is asked while earlier runs are under way goes together.
 *
 * An item that comes alone runs at once, and none waits for a clock, so batches grow with the load and only with it.
 * Every run begins after its items were asked, so an answer is never older than its question.
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
