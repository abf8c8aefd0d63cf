import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { ours } from '../gates/plant.ts'

const text = readFileSync(ours('ARCHITECTURE.md'), 'utf8')
const [, paths = ''] = text.split('## The paths')
const legs = [...(paths.split('\n## ')[0] ?? '').matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)]
  .map(([, leg = '', cell = '']) => ({
    leg,
    files: [...cell.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file = '']) => file),
  }))
  .filter(({ files }) => files.length > 0)

describe('the paths of ARCHITECTURE.md', () => {
  it('name files that are there', () => {
    expect(legs).to.have.length.above(10)
    const missing = legs.flatMap(({ files }) => files).filter((file) => !existsSync(ours(file)))
    expect(missing).to.deep.equal([])
  })

  for (const { leg, files } of legs) {
    it(`lead in seven files at most through “${leg}”`, () => {
      expect(files).to.have.length.at.most(7)
    })
  }
})
