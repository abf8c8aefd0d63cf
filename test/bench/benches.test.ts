import { expect } from 'chai'
import { SHORT } from './bench.ts'
import { BENCHES } from './benches.ts'

/** Benches that start Ponder on a chain: 5 to 15 s of processor time each, even in their short run. */
const WITH_A_CHAIN = ['beside', 'faults', 'footprint', 'indexing', 'latency', 'memory', 'networks', 'waking']

/** Number of hours over which the benches that are not in `WITH_A_CHAIN` are spread. */
const TURNS = 3

describe('a short run of the bench', function () {
  this.timeout(180_000)

  for (const [name, bench] of Object.entries(BENCHES).filter(([name]) => isExecuted(name))) {
    it(`${name} measures something`, async () => {
      const found = await bench(SHORT)
      expect(found).not.to.be.empty
      expect(found.filter((one) => !Number.isFinite('value' in one ? one.value : one.ours))).to.deep.equal([])
    })
  }
})

/**
 * Returns whether this run executes a bench. `npm run test:long` executes every bench. Other runs execute one of the
 * benches in `WITH_A_CHAIN` and a third of the others, different ones each hour.
 */
function isExecuted(name: string): boolean {
  if (process.env['TEST_LONG'] === '1') return true
  const isWithChain = WITH_A_CHAIN.includes(name)
  const names = Object.keys(BENCHES).filter((one) => WITH_A_CHAIN.includes(one) === isWithChain)
  const turns = isWithChain ? WITH_A_CHAIN.length : TURNS
  return names.indexOf(name) % turns === new Date().getUTCHours() % turns
}
