import { expect } from 'chai'
import type { Hex } from 'viem'
import { createApiClient } from '../../../api/client/client.ts'
import { readEvidencePages } from '../../../api/client/read-evidence-pages.ts'
import { verifyEvidence } from '../../../api/client/verify-evidence.ts'
import { createEvidenceMetrics } from '../../../indexer/evidence/evidence-metrics.ts'
import { createMissingTaskSearch } from '../../../indexer/evidence/find-missing-tasks.ts'
import { proveDue } from '../../../indexer/evidence/prove-due.ts'
import { createReceiptProver, type ReceiptProver } from '../../../indexer/evidence/receipt-prover.ts'
import { type ChainNodes, createChainNodes } from '../../../shared/chain/nodes/chain-nodes.ts'
import { NodeBudgetError } from '../../../shared/chain/pacing/throttle.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { listExcessiveDust } from '../../../shared/db/evidence/daemon/counted-logs.ts'
import { recordReceiptProof } from '../../../shared/db/evidence/daemon/receipt-proofs.ts'
import { checksum } from '../../../shared/domain/address.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { createMetrics } from '../../../shared/runtime/metrics.ts'
import type { TestApi } from '../../support/api.ts'
import { call, expectError } from '../../support/call-route.ts'
import { type CheckFixture, CONFIRMATIONS, createCheckFixture } from '../../support/check-fixture.ts'
import { verifyIndependently } from '../../support/evidence/verify-independently.ts'
import { randomHex } from '../../support/factories.ts'
import { nodesAt } from '../../support/nodes-at.ts'
import { connectForTest } from '../../support/postgres.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { runClient } from '../../support/run-client.ts'

const CHARGE = { amount: 10, acceptedPayments: [{ token: 'USDC', network: 'base' }], expiresIn: 600 }
const DEEP = CONFIRMATIONS - 1
const MAX_FILE_BYTES = 64 * 1024
const isLong = process.env['TEST_LONG'] === '1' // oxlint-disable-line no-process-env -- the duration is a setting of the run
/** Numbers of payments in one shared block, in separate blocks, and by contracts. */
const TOGETHER = isLong ? 30 : 10
const ALONE = isLong ? 6 : 2
const BY_CONTRACTS = isLong ? 4 : 2
const ALL = TOGETHER + ALONE + BY_CONTRACTS

// `any`, because `call` has already checked the body against the schema.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = Record<string, any>

describe('GET /v1/charges/{id}/evidence', function () {
  this.timeout(240_000)
  let stage: CheckFixture
  let api: TestApi
  let key: string
  let sql: Sql
  let chain: ChainNodes
  let prover: ReceiptProver
  const { log } = recordingLog()
  const metrics = createEvidenceMetrics(createMetrics({ service: 'test' }), {
    ...{ chainIds: [31_337], countDue: () => Promise.resolve(0) },
  })

  before(async () => {
    stage = await createCheckFixture()
    ;({ api } = stage)
    ;({ key } = await api.issueKey())
    sql = connectForTest(api.database.url.daemon)
    prover = createReceiptProver()
    chain = createChainNodes({ chainId: 31_337, ...nodesAt([stage.proxy.url]) })
  })
  after(async () => {
    await prover?.stop()
    await sql?.end()
    await stage?.close()
  })

  const create = async () => (await call(api, 'POST /v1/charges', { key, body: CHARGE })).body
  const read = async (id: string, query = '') =>
    (await call(api, `GET /v1/charges/${id}/evidence${query}`, { key })).body
  const prove = async (hasProofs = true) => {
    while ((await proveDue({ sql, log, metrics, prover }, { chain, tokens: [], hasProofs })) === 'more');
  }
  const tokenOf = () => checksum(stage.chain.token)
  const verify = (evidence: Json) =>
    verifyEvidence(JSON.stringify(evidence), {
      address: evidence['charge'].address,
      blockHashes: evidence['data'].map(({ block }: Json) => block.hash),
      tokens: [tokenOf()],
    })
  const createCredited = async () => {
    const charge = await create()
    const txHash = await stage.pay(charge.address)
    await stage.mine(DEEP)
    await stage.corroborate(charge.id, txHash)
    return { ...charge, txHash }
  }
  /** Creates a charge with a credited payment and its proof. */
  const createPaid = async () => {
    const charge = await createCredited()
    await prove()
    return charge
  }

  it(`proves each of ${ALL} payments, in large and small blocks and by contracts, to an independent program`, async () => {
    const charges = await Promise.all(Array.from({ length: ALL }, create))
    const inOneBlock = charges.slice(0, TOGETHER)
    const hashes = await stage.payTogether(inOneBlock.map(({ address }) => address))
    for (const { address } of charges.slice(TOGETHER, TOGETHER + ALONE)) hashes.push(await stage.pay(address))
    for (const { address } of charges.slice(TOGETHER + ALONE))
      hashes.push(await stage.payByUserOperations(address, [4_000_000n, 5_000_000n, 1_000_000n]))
    await stage.mine(DEEP)
    for (const [index, { id }] of charges.entries()) await stage.corroborate(id, hashes[index] ?? '0x')
    await prove()
    for (const [index, { id, address }] of charges.entries()) {
      const evidence = await read(id)
      const [independent] = verifyIndependently(evidence)
      const { verified } = await verify(evidence)
      expect(
        independent?.found.reduce((sum, { amount }) => sum + amount, 0n),
        id,
      ).to.equal(10_000_000n)
      expect(independent?.found).to.have.length(index < TOGETHER + ALONE ? 1 : 3)
      expect(verified[0]?.logs.map(({ kind }) => kind)).to.deep.equal(
        independent?.found.map(({ kind }) => kind),
      )
      expect(evidence.charge.address).to.equal(address)
      expect(JSON.stringify(evidence).length).to.be.below(MAX_FILE_BYTES)
      expect(evidence.data[0].proof.receiptNodes.length > 1, 'several receipts in its block').to.equal(
        index < TOGETHER,
      )
    }
  })

  it('proves which recipients the split paid', async () => {
    const { id, address } = await createPaid()
    const { body } = await call(api, 'GET /v1/distributions/pending?limit=100', { key })
    const pending = body.data.find(({ splitAddress }: Json) => splitAddress === address)
    const txHash = await stage.distribute(pending.call)
    await stage.mine(DEEP)
    await stage.corroborate(id, txHash)
    await prove()
    const evidence = await read(id)
    const independent = verifyIndependently(evidence)
    const { verified } = await verify(evidence)
    expect(verified.map(({ logs }) => logs.map(({ kind }) => kind))).to.deep.equal([
      ['credit'],
      ['distribution'],
    ])
    const paid = verified[1]?.paid.map((share) => [share.address, BigInt(share.amountAtomic)])
    expect(paid).to.deep.equal(independent[1]?.paid.map(({ to, amount }) => [to, amount]))
    const total = independent[1]?.paid.reduce((sum, { amount }) => sum + amount, 0n)
    expect(total).to.equal(10_000_000n)
  })

  it('states when and by which operators a payment was agreed, without node addresses', async () => {
    const { id } = await createPaid()
    const evidence = await read(id)
    const [one] = evidence.data[0].logs
    expect(one.agreedBy).to.deep.equal(['operator 1'])
    expect(Date.parse(one.agreedAt)).to.be.closeTo(Date.now(), 120_000)
    expect(JSON.stringify(evidence)).not.to.match(/127\.0\.0\.1|http/)
  })

  it('gives the reason pending until the proof exists', async () => {
    const { id } = await createCredited()
    const [one] = (await read(id)).data
    expect(one).to.deep.include({ proof: null, reason: 'pending' })
    expect(one.logs[0].position).to.equal(null)
  })

  it('later proves a payment that was credited before the service made proofs', async () => {
    const { id, txHash } = await createCredited()
    await api.owner`delete from receipt_proofs where tx_hash = ${txHash}`
    await prove()
    expect((await read(id)).data[0].reason).to.equal('pending')
    const search = createMissingTaskSearch(sql, [31_337])
    for (const _ of ['transfers', 'their end']) await search()
    await prove()
    expect((await verify(await read(id))).verified).to.have.length(1)
  })

  it('gives the reason not_committed on a chain whose headers do not commit to receipts', async () => {
    const { id } = await createCredited()
    await prove(false)
    expect((await read(id)).data[0]).to.deep.include({ proof: null, reason: 'not_committed' })
  })

  it('contains the proof after the retry of a failed attempt, even if two daemons retry', async () => {
    const { id } = await createCredited()
    stage.proxy.rule(() => 'error')
    await prove()
    stage.proxy.rule(() => 'pass')
    await prove()
    expect((await read(id)).data[0].reason, 'not before the next attempt').to.equal('pending')
    await api.owner`update receipt_proofs set due_at = now() where finished_at is null`
    await Promise.all([prove(), prove()])
    expect((await read(id)).data[0].reason).to.equal(null)
  })

  it('proves at most 20 payments below a dollar per charge, and every payment of a dollar or more', async () => {
    const { id, address } = await create()
    const hashes: Hex[] = []
    for (const amount of [...Array.from({ length: 21 }, () => 999_999n), 1_000_000n])
      hashes.push(await stage.pay(address, amount))
    await stage.mine(DEEP)
    for (const hash of hashes) await stage.corroborate(id, hash)
    await prove()
    const { data } = await read(id, '?limit=100')
    const reasons = data.map(({ reason }: Json) => reason)
    expect(reasons).to.deep.equal([...Array.from({ length: 20 }, () => null), 'dust', null])
  })

  it('does not take two transfers out of an escrow for dust that move a dollar only with their smallest parts', async () => {
    const { id } = await create()
    const [txHash, blockHash] = [randomHex(32), randomHex(32)]
    const wanted = { chainId: 31_337, blockHash, txHashes: [txHash], maxProofs: 0 }
    const found: (readonly Hex[])[] = []
    const rollback = new Error('rolled back')
    const asked = api.owner.begin(async (db) => {
      for (const [ordinal, amount] of [500_000, 499_999].entries()) {
        await db`
          insert into escrow_transfers (charge_id, action, chain_id, token_address, tx_hash, ordinal, recipient,
            amount_atomic, dust_atto, inclusion, block_number, block_hash, block_timestamp, log_index, agreed_at,
            agreed_by, corroborated_block_hash, applied_at)
          values (${id}, 'release', 31337, ${stage.chain.token}, ${txHash}, ${ordinal}, ${stage.chain.token}, ${amount}::int,
            500000000000, 'included', 1, ${blockHash}, 1, ${ordinal}, now(), '{one}', ${blockHash}, now())`
        found.push(await listExcessiveDust(db, wanted))
      }
      throw rollback
    })
    expect(await asked.catch((error: unknown) => error)).to.equal(rollback)
    expect(found).to.deep.equal([[txHash], []])
  })

  it('gives the reason block_not_served after the last attempt has failed', async () => {
    const { id, txHash: hash } = await createCredited()
    stage.proxy.rule(() => 'error')
    await api.owner`update receipt_proofs set attempts = 11 where tx_hash = ${hash}`
    await prove()
    stage.proxy.rule(() => 'pass')
    expect((await read(id)).data[0].reason).to.equal('block_not_served')
  })

  it('does not count an attempt that the node’s request budget prevented', async () => {
    const { id, txHash: hash } = await createCredited()
    await api.owner`update receipt_proofs set attempts = 11 where tx_hash = ${hash}`
    const acquire = () => Promise.reject(new NodeBudgetError('no room'))
    const paced = createReceiptProver({ pacerOf: () => ({ acquire, getDelayMs: () => 0 }) })
    await proveDue({ sql, log, metrics, prover: paced }, { chain, tokens: [], hasProofs: true })
    await paced.stop()
    const [task] = await api.owner`
      select attempts, due_at > now() as is_later from receipt_proofs where tx_hash = ${hash}`
    expect(task).to.deep.equal({ attempts: 11, isLater: true })
    expect((await read(id)).data[0].reason).to.equal('pending')
    await api.owner`update receipt_proofs set due_at = now() where tx_hash = ${hash}`
    await prove()
    expect((await read(id)).data[0].reason).to.equal(null)
  })

  it('lists transactions in pages, which the client merges', async () => {
    const { id, address } = await create()
    const hashes: Hex[] = []
    for (const amount of [1_000_000n, 2_000_000n, 3_000_000n]) {
      const hash = await stage.pay(address, amount)
      hashes.push(hash)
      await stage.mine(DEEP)
      await stage.corroborate(id, hash)
    }
    await prove()
    const first = await read(id, '?limit=2')
    expect(first).to.deep.include({ hasMore: true })
    const second = await read(id, `?limit=2&cursor=${first.nextCursor}`)
    expect(second).to.deep.include({ hasMore: false, nextCursor: null })
    const listed = [...first.data, ...second.data].map(({ txHash }: Json) => txHash)
    expect(listed).to.deep.equal(hashes)
    const merged = await readEvidencePages(createApiClient({ apiUrl: api.baseUrl, apiKey: key }), id)
    expect((await verify(merged)).verified).to.have.length(3)
    const [wanted] = hashes
    const client = createApiClient({ apiUrl: api.baseUrl, apiKey: key })
    const one = await readEvidencePages(client, id, { txHash: wanted })
    expect(one.data.map(({ txHash }) => txHash)).to.deep.equal([wanted])
  })

  it('is printed by `svc charges evidence`, for all transactions or for one', async () => {
    const { id, address, txHash: first } = await createCredited()
    const second = await stage.pay(address)
    await stage.mine(DEEP)
    await stage.corroborate(id, second)
    await prove()
    const print = async (...args: string[]): Promise<Json> => {
      const env = { SVC_API_URL: api.baseUrl, SVC_API_KEY: key }
      const { stdout, stderr, exitCode } = await runClient('svc', ['charges', 'evidence', id, ...args], env)
      expect(exitCode, stderr).to.equal(0)
      return JSON.parse(stdout)
    }
    const { verified } = await verify(await print())
    expect(verified.map(({ txHash }) => txHash)).to.deep.equal([first, second])
    const { data } = await print('--tx', second)
    expect(data.map(({ txHash }: Json) => txHash)).to.deep.equal([second])
  })

  it('limits a page by the uncompressed size of its proofs', async () => {
    const { id, address, txHash: first } = await createCredited()
    const second = await stage.pay(address)
    await stage.mine(DEEP)
    await stage.corroborate(id, second)
    const zeros: Hex = `0x${'00'.repeat(125 * 1024)}`
    for (const hash of [first, second]) {
      const [row] = await api.owner<{ blockHash: Hex }[]>`
        select block_hash from receipt_proofs where tx_hash = ${hash}`
      const proof = { header: '0x00' as Hex, nodes: [zeros], transactionIndex: 0, firstLogIndex: 0 }
      const key = { chainId: 31_337, txHash: hash, blockHash: row?.blockHash ?? '0x' } as const
      await recordReceiptProof(sql, key, proof)
    }
    const small = await api.startAnother((config) => ({ ...config, maxPageBytes: 300_000 }))
    try {
      const { body } = await call(small, `GET /v1/charges/${id}/evidence`, { key })
      expect([body.data.length, body.hasMore]).to.deep.equal([1, true])
    } finally {
      await small.stop()
    }
  })

  it('is empty before the first payment, and hidden from other organizations', async () => {
    const { id } = await create()
    expect(await read(id)).to.deep.include({ data: [], hasMore: false, nextCursor: null })
    const { key: other } = await api.issueKey({ organization: 'org_other' })
    for (const [unknown, its] of [
      [id, other],
      [newId('ch', Date.now()), key],
    ] as const)
      expectError(
        await call(api, `GET /v1/charges/${unknown}/evidence`, { key: its }),
        '404 charge_not_found',
      )
    const answer = await call(api, `GET /v1/charges/${id}/evidence?cursor=x`, { key })
    expectError(answer, '400 validation_error', 'cursor')
  })
})
