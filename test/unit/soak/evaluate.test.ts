import { expect } from 'chai'
import { judge, type Sample } from '../../soak/evaluate.ts'

/** A level: a value of the running service that must not grow over time. */
const LEVEL = 'the API, resident MB'
const TABLE = 'events'
const MB = 1024 * 1024

describe('the verdict of a soak test', () => {
  it('passes if levels are stable and tables grow in proportion to the charges', () => {
    const { figures, failures } = judge(run({ level: () => 200, bytesPerCharge: () => 3_000 }))
    expect(failures).to.deep.equal([])
    expect(figures).to.include(`${LEVEL}: 200 in the middle third, 200 in the last`)
    expect(figures).to.include(`${TABLE}: 3000 bytes per charge in the middle third, 3000 in the last`)
  })

  it('ignores growth in the first third, which is the warm-up', () => {
    expect(judge(run({ level: (n) => Math.min(300, 50 + 40 * n) })).failures).to.deep.equal([])
  })

  it('fails if a level rises above its limit from the middle third to the last', () => {
    const { failures } = judge(run({ level: (n) => (n < 20 ? 200 : 281) }))
    expect(failures).to.have.length(1)
    expect(failures[0]).to.contain('281 in the last, above 280')
  })

  it('fails if a level is not a number', () => {
    const { failures } = judge(run({ level: (n) => (n < 20 ? 200 : Number.NaN) }))
    expect(failures).to.have.length(1)
    expect(failures[0]).to.contain('NaN in the last')
  })

  it('fails if a table grows faster than the charges', () => {
    const { failures } = judge(run({ bytesPerCharge: (n) => (n < 20 ? 3_000 : 12_000) }))
    expect(failures).to.have.length(1)
    expect(failures[0]).to.match(/^events: /)
  })

  it('fails if there are too few samples to compare', () => {
    expect(judge(run({}).slice(0, 4)).failures).to.deep.equal(['4 samples are too few to compare'])
  })
})

/** Returns 30 samples. Each has 100 more charges than the one before. */
function run({
  level = () => 200,
  bytesPerCharge = () => 3_000,
}: {
  readonly level?: (look: number) => number
  readonly bytesPerCharge?: (look: number) => number
}): readonly Sample[] {
  let bytes = 10 * MB
  return Array.from({ length: 30 }, (_, n) => {
    bytes += 100 * bytesPerCharge(n)
    return { atMs: n * 5_000, charges: 100 * n, levels: { [LEVEL]: level(n) }, sizes: { [TABLE]: bytes } }
  })
}
