import { expect } from 'chai'
import { createTestClient, http } from 'viem'
import { base } from 'viem/chains'
import { SAFE_CONTRACTS } from '../../../shared/domain/escrow-address.ts'
import type { Anvil } from '../../devnet/anvil.ts'
import { startAnvil } from '../../devnet/anvil.ts'
import { address, startTestApi, type TestApi } from '../../support/api.ts'
import { call, expectError } from '../../support/call-route.ts'
import { nodesAt } from '../../support/nodes-at.ts'
import { type RpcProxy, type RpcRule, startRpcProxy } from '../../support/rpc-proxy.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const PLAIN = address('0x70997970c51812dc3a010c7d01b50e0d17dc79c8')
const CONTRACT = address('0x00000000000000000000000000000000000c0de1')
const CODE = '0x6001600155'
const SAFE: readonly string[] = Object.values(SAFE_CONTRACTS)
const RESTRICTED = { result: `0x${'0'.repeat(63)}1` }

/** Tests how the API reads a chain with two or three nodes, one of which is faulty except in the last test. */
describe('creating a charge with a faulty node', function () {
  this.timeout(120_000)
  let anvil: Anvil
  let api: TestApi
  let key: string
  let faulty: RpcProxy
  let third: RpcProxy

  before(async () => {
    const directory = await temporaryDirectory('agreed-reads')
    anvil = await startAnvil({ name: 'chain', chainId: base.id, directory })
    const node = createTestClient({ chain: base, mode: 'anvil', transport: http(anvil.rpcUrl) })
    for (const contract of [...Object.values(SAFE_CONTRACTS), CONTRACT])
      await node.setCode({ address: contract, bytecode: CODE })
    faulty = await startRpcProxy(anvil.rpcUrl)
    third = await startRpcProxy(anvil.rpcUrl)
    api = await startTestApi()
    ;({ key } = await api.issueKey())
  })
  after(async () => {
    await api.stop()
    await Promise.all([faulty.stop(), third.stop()])
    await anvil.stop()
  })

  /** Creates a charge through a new API, because a used API caches which contracts have code and might skip a read. */
  async function create(rpcUrls: readonly string[], changes: object) {
    const { baseUrl, stop } = await api.startAnother((config) => ({
      ...config,
      deployments: config.deployments.map((one) => ({ ...one, ...nodesAt(rpcUrls, 2) })),
    }))
    const acceptedPayments = [{ token: 'USDC', network: 'base' }]
    const body = { amount: 10, acceptedPayments, expiresIn: 600, ...changes }
    const created = await call({ ...api, baseUrl }, 'POST /v1/charges', { key, body })
    await stop()
    return created
  }

  const withReleaser = (releaserAddress: string) => ({ escrow: { releaserAddress } })
  const codeOf = (matches: (account: string) => boolean, result: string): RpcRule => {
    return (method, [account]) =>
      method === 'eth_getCode' && matches(String(account).toLowerCase()) ? { result } : 'pass'
  }

  const LIES: readonly (readonly [title: string, releaser: string, rule: RpcRule, truth: number])[] = [
    [
      'reports a releaser without code as a contract',
      PLAIN,
      codeOf((account) => account === PLAIN, CODE),
      201,
    ],
    ['hides the code of a releaser', CONTRACT, codeOf((account) => account === CONTRACT, '0x'), 400],
    ['hides the contracts of Safe', PLAIN, codeOf((account) => SAFE.includes(account), '0x'), 201],
    ['is down', PLAIN, () => 'error', 201],
  ]
  for (const [title, releaser, rule, truth] of LIES) {
    for (const [place, which] of ['first', 'second'].entries()) {
      it(`returns 503 for a charge with escrow if the ${which} of two nodes ${title}`, async () => {
        faulty.rule(rule)
        const created = await create([anvil.rpcUrl].toSpliced(place, 0, faulty.url), withReleaser(releaser))
        expectError(created, '503 rpc_unavailable')
      })

      it(`follows the two agreeing nodes if the ${which} of three nodes ${title}`, async () => {
        faulty.rule(rule)
        const rpcUrls = [anvil.rpcUrl, third.url].toSpliced(place, 0, faulty.url)
        expect((await create(rpcUrls, withReleaser(releaser))).status).to.equal(truth)
      })
    }
  }

  for (const [place, which] of ['first', 'second'].entries())
    it(`ignores a restriction that only the ${which} of two nodes reports`, async () => {
      faulty.rule((method) => (method === 'eth_call' ? RESTRICTED : 'pass'))
      const created = await create([anvil.rpcUrl].toSpliced(place, 0, faulty.url), {})
      expect(created.status, created.text).to.equal(201)
    })

  it('rejects the charge if both nodes report a restriction', async () => {
    for (const node of [faulty, third]) node.rule((method) => (method === 'eth_call' ? RESTRICTED : 'pass'))
    const created = await create([faulty.url, third.url], {})
    third.rule(() => 'pass')
    expectError(created, '422 recipient_transfer_restricted', 'acceptedPayments')
  })
})
