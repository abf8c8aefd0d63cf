import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { buildHaproxyFile, buildMemberFile } from '../../drill/cluster-files.ts'
import { ours } from '../gates/plant.ts'

const read = (path: string) => readFileSync(ours(`docs/ops/patroni/${path}`), 'utf8')

describe('docs/ops/patroni', () => {
  const member = { name: 'pg1', port: 1, restPort: 2, directory: '/d', dataDirectory: '/d/data' }

  it('has the drill’s bootstrap settings, except PostgreSQL settings other than use_pg_rewind', () => {
    const documented = parse(read('member.yml')).bootstrap
    const run = JSON.parse(buildMemberFile(member, 3)).bootstrap
    const comparable = ({ dcs, initdb }: typeof run) => ({
      ...{ dcs: { ...dcs, postgresql: null }, initdb, rewinds: dcs.postgresql.use_pg_rewind },
    })
    expect(comparable(documented)).to.deep.equal(comparable(run))
    expect(documented.dcs).to.include({ synchronous_mode: true, synchronous_mode_strict: true })
  })

  it('has the HAProxy options that the drill uses', () => {
    const options = buildHaproxyFile([member], 3)
      .split('\n')
      .filter((line) => line.startsWith('  ') && !/^ {2}(bind|server)/.test(line))
    expect(options).to.have.length.at.least(8)
    for (const option of options) expect(read('haproxy.cfg')).to.include(`\n${option}\n`)
  })
})
