import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { MUTANTS } from '../../mutation/mutants.ts'
import { listTransitions } from './count-transitions.ts'
import { type Instrumentation, instrumentProduct, isLoaded } from './instrument.ts'
import { EVALUATED_ONCE, findReason, OUT_OF_REACH } from './out-of-reach.ts'
import { reportReached } from './report.ts'
import { addCounts, openTally, type Tally } from './tally.ts'

const repository = join(import.meta.dirname, '../../..')

// A marker counts in how many histories (simulated runs, one per seed) a rule was reached. `out-of-reach.ts` lists the
// rules that histories cannot reach, or reach too rarely, each with the tests that verify it instead, and the places
// that are evaluated only once, when their module is loaded.
describe('the markers of the simulator', function () {
  this.timeout(600_000)
  let instrumentation: Instrumentation

  before(() => {
    instrumentation = instrumentProduct()
  })

  it('have unique names, and exist for each rule of the mutation table that a history can reach and that is evaluated more than once', () => {
    const { markers } = instrumentation
    const names = new Map(markers.map(({ name, counts }) => [name, counts]))
    const unmarked = MUTANTS.filter(
      ({ rule, at }) =>
        (names.get(rule) ?? 'nothing') === 'nothing' &&
        findReason({ name: rule, at }) === null &&
        !EVALUATED_ONCE.has(at),
    )
    expect(unmarked.map(({ rule }) => rule)).to.deep.equal([])
    expect(names.size).to.equal(markers.length)
  })

  it('have exceptions only for existing places, and each exception names existing tests', () => {
    const places = [...MUTANTS.map(({ at }) => at), ...listTransitions()]
    expect(
      OUT_OF_REACH.filter((each) => !places.some((place) => each.places.test(place))).map(
        ({ reason }) => reason,
      ),
    ).to.deep.equal([])
    const tests = OUT_OF_REACH.flatMap(({ heldBy }) => heldBy.split(', '))
    expect(tests.filter((path) => !existsSync(join(repository, path)))).to.deep.equal([])
    expect([...EVALUATED_ONCE.keys()].filter((at) => !places.includes(at))).to.deep.equal([])
  })

  it('begin with one for each rule whose file the workers load, in the order of the mutation table', () => {
    const rows = MUTANTS.filter(isLoaded)
    expect(instrumentation.markers.slice(0, rows.length).map(({ name }) => name)).to.deep.equal(
      rows.map(({ rule }) => rule),
    )
  })

  it('fail a run of 2,000 seeds if a rule was reached in fewer than 20 histories; a smaller run only warns', () => {
    expect(reportReached(tallyOf({ seeds: 100, histories: 0 })).lines.length).to.be.above(2)
    expect(reportReached(tallyOf({ seeds: 100, histories: 0 })).isEnough).to.equal(true)
    expect(reportReached(tallyOf({ seeds: 2_000, histories: 19 })).isEnough).to.equal(false)
    expect(reportReached(tallyOf({ seeds: 2_000, histories: 20 })).isEnough).to.equal(true)
  })

  it('add up their executions, and count the histories that reach them', () => {
    const tally = openTally(instrumentation, null)
    addCounts(tally, { seed: 1, counts: [[3, 2]] })
    addCounts(tally, { seed: 2, counts: [[1, 0]] })
    expect(tally.markers[0]).to.include({ times: 4, marked: 2, histories: 1 })
    expect(tally.seeds).to.deep.equal([1, 2])
  })

  function tallyOf({ seeds, histories }: { readonly seeds: number; readonly histories: number }): Tally {
    const tally = openTally(instrumentation, null)
    return {
      ...tally,
      seeds: Array.from({ length: seeds }, (_, seed) => seed),
      markers: tally.markers.map((marker) => ({ ...marker, histories, times: 2, marked: 1 })),
    }
  }
})
