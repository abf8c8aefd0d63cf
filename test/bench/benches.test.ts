import { expect } from 'chai'
import { SHORT } from './bench.ts'
import { BENCHES } from './benches.ts'

/** Benches that start Ponder on a chain, which takes 5 to 15 s of processor time even in a short run. */
const WITH_A_CHAIN = ['beside', 'faults', 'footprint', 'indexing', 'latency', 'memory', 'networks', 'waking']

/** Number of hours in which each bench that is not in `WITH_A_CHAIN` is executed once. */
const TURNS = 3

describe('a short run of the bench', function () {
  this.timeout(180_000)

  for (const [name, bench] of Object.entries(BENCHES).filter(([name]) => isExecuted(name))) {
    it(`${name} returns only finite figures`, async () => {
      const found = await bench(SHORT)
      expect(found).not.to.be.empty
      expect(found.filter((one) => !Number.isFinite('value' in one ? one.value : one.ours))).to.deep.equal([])
    })
  }
})

/**
 * Returns whether this run executes a bench. `npm run test:long` executes every bench. Other runs execute one bench of
 * `WITH_A_CHAIN` and a third of the other benches, depending on the hour.
 */
function isExecuted(name: string): boolean {
  if (process.env['TEST_LONG'] === '1') return true
  const isWithChain = WITH_A_CHAIN.includes(name)
  const names = Object.keys(BENCHES).filter((one) => WITH_A_CHAIN.includes(one) === isWithChain)
  const turns = isWithChain ? WITH_A_CHAIN.length : TURNS
  return names.indexOf(name) % turns === new Date().getUTCHours() % turns
}
