import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { toHex } from 'viem'
import { checksum } from '../../../shared/domain/address.ts'
import { ESCROW_ACTIONS } from '../../../shared/domain/escrow-action.ts'
import { predictSafeAddress, SAFE_CONTRACTS } from '../../../shared/domain/escrow-address.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import type { Network } from '../../../shared/domain/networks.ts'
import { address, MERCHANT, startTestApi, type TestApi } from '../../support/api.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'
import { nodesAt } from '../../support/nodes-at.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import { runClient } from '../../support/run-client.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const RELEASER = address('0x70997970c51812dc3a010c7d01b50e0d17dc79c8')
const USDC_BASE = { token: 'USDC', network: 'base' }
const USDT_BNB = { token: 'USDT', network: 'bnb' }
const PARAM = 'escrow.releaserAddress'

/** Code of an account that delegates to the contract 0xaa…aa (EIP-7702), and code of a contract. */
const DELEGATION = `0xef0100${'aa'.repeat(20)}`
const CONTRACT = '0x6001600155'
const SAFE: readonly string[] = Object.values(SAFE_CONTRACTS)

describe('escrow charges', () => {
  let api: TestApi
  let key: string
  const nodes: Partial<Record<Network, RpcProxy>> = {}
  /** Code that each network's node returns for addresses other than Safe's contracts; `error` if the node fails. */
  let codes: Partial<Record<Network, string>> = {}
  /** Code that each network's node returns for Safe's contracts, by default `CONTRACT`; `error` if the node fails. */
  let safeCodes: Partial<Record<Network, string>> = {}

  before(async () => {
    for (const network of ['base', 'bnb'] as const) {
      const node = await startRpcProxy('http://127.0.0.1:9') // The rules respond to every call instead.
      node.rule((method, [account]) => {
        if (method === 'eth_chainId') return { result: toHex(REGISTRY[network].live.chainId) }
        const isSafe = SAFE.includes(String(account).toLowerCase())
        const code = isSafe ? (safeCodes[network] ?? CONTRACT) : (codes[network] ?? '0x')
        return method !== 'eth_getCode' || code === 'error' ? 'error' : { result: code }
      })
      nodes[network] = node
    }
    api = await startTestApi({}, (config) => ({
      ...config,
      deployments: config.deployments.map((deployment) => {
        const url = nodes[deployment.network]?.url
        return url === undefined ? deployment : { ...deployment, ...nodesAt([url]) }
      }),
    }))
    ;({ key } = await api.issueKey())
  })

  after(async () => {
    await api.stop()
    for (const node of Object.values(nodes)) await node.stop()
  })

  beforeEach(() => {
    codes = {}
    safeCodes = {}
  })

  const create = (changes: object, withKey = key): Promise<Answer> => {
    const body = { amount: 10, acceptedPayments: [USDC_BASE, USDT_BNB], expiresIn: 600, ...changes }
    return call(api, 'POST /v1/charges', { key: withKey, body })
  }

  describe('POST /v1/charges with escrow', () => {
    // Runs first, because a chain whose contracts were found is not queried again.
    it('rejects an escrow on a network without Safe contracts even if another network’s node is down', async () => {
      safeCodes = { base: 'error', bnb: '0x' }
      const refused = await create({ escrow: {} })
      expectError(refused, '422 token_not_supported', 'acceptedPayments[1]')
      expect(refused.body.error.message).to.include('bnb has no Safe contracts')
      expect((await create({})).status).to.equal(201)
      safeCodes = { base: 'error' }
      expectError(await create({ escrow: {} }), '503 rpc_unavailable')
      safeCodes = {}
      expect((await create({ escrow: {} })).status).to.equal(201)
    })

    it('returns the Safe of the given releaser as the address to pay, and the split at another address', async () => {
      const { status, body, text } = await create({ escrow: { releaserAddress: RELEASER } })
      expect(status, text).to.equal(201)
      const safe = predictSafeAddress({ releaser: RELEASER, saltNonce: body.addressTerms.salt })
      expect(body.address.toLowerCase()).to.equal(safe)
      expect(body.addressTerms.splitAddress.toLowerCase()).to.not.equal(safe)
      expect(body.addressTerms.safe).to.deep.include({ threshold: 1 })
      expect(body.addressTerms.safe.owner.toLowerCase()).to.equal(RELEASER)
      expect(body.escrow).to.deep.equal({
        ...{ releasedAt: null, refundedAt: null, pendingAction: null },
        releaserAddress: body.addressTerms.safe.owner,
      })
    })

    it('returns terms that npm run verify-address accepts only with a release to the split', async () => {
      const { body: charge } = await create({ escrow: { releaserAddress: RELEASER } })
      const file = join(await temporaryDirectory('escrow'), 'charge.json')
      await writeFile(file, JSON.stringify(charge))
      const { stdout, exitCode } = await runClient('verify-address', ['--charge', file])
      expect(stdout).to.include(`unless its destination is ${charge.addressTerms.splitAddress}`)
      expect(exitCode).to.equal(0)
    }).timeout(240_000)

    it('uses the key’s payout address as releaser by default', async () => {
      const { body } = await create({ escrow: {} })
      expect(body.escrow.releaserAddress.toLowerCase()).to.equal(MERCHANT)
    })

    it('stores the fee including the escrow surcharge, and adds the total to the amount', async () => {
      const { body } = await create({ escrow: {}, feePayer: 'payer' })
      expect(body).to.deep.include({ feePercent: 1.5, amountExact: '10.152285' })
      expect(body.merchantAmount).to.be.at.least(10)
      const [row] = await api.owner`
        select fee_percent::text, escrow_fee_percent::text from charges where id = ${body.id}`
      expect({ ...row }).to.deep.equal({ feePercent: '1.5000', escrowFeePercent: '0.5000' })
    })

    it('returns the same charge for a repeated request even if the releaser has become a contract', async () => {
      const escrow = { idempotencyKey: 'once', escrow: {} }
      const first = await create(escrow)
      codes = { base: CONTRACT }
      const again = await create(escrow)
      expect([again.status, again.body.id]).to.deep.equal([201, first.body.id])
      const spelt = await create({ ...escrow, escrow: { releaserAddress: MERCHANT } })
      expect(spelt.body.id, 'the default, spelt out').to.equal(first.body.id)
      expectError(await create({ idempotencyKey: 'once' }), '409 idempotency_key_reused', 'idempotencyKey')
      const other = await create({ ...escrow, escrow: { releaserAddress: RELEASER } })
      expectError(other, '409 idempotency_key_reused', 'idempotencyKey')
    })

    for (const releaserAddress of ['0x12', RELEASER.toUpperCase(), `0x${'A'.repeat(40)}`, 7]) {
      it(`rejects ${releaserAddress}, which is not 0x and 40 lowercase hex digits`, async () => {
        expectError(await create({ escrow: { releaserAddress } }), '400 validation_error', PARAM)
      })
    }

    it('explains that an address with capitals must be lowercase, and otherwise describes the form of an address', async () => {
      const reasonOf = async (releaserAddress: string) =>
        (await create({ escrow: { releaserAddress } })).body.error.message
      const capitals = checksum(RELEASER)
      expect(await reasonOf(capitals)).to.include(`is "${capitals}"; it must be in lowercase`)
      expect(await reasonOf('0x12')).to.include('it must be an address in lowercase: 0x and 40 hex digits')
    })

    for (const digits of ['0', '1', 'ffff']) {
      it(`rejects 0x${digits}, because no key exists for that address`, async () => {
        codes = { base: 'error' } // The chain need not be read.
        const releaserAddress = `0x${digits.padStart(40, '0')}`
        expectError(await create({ escrow: { releaserAddress } }), '400 validation_error', PARAM)
      })
    }

    it('rejects a releaser that is a contract on any accepted network', async () => {
      codes = { bnb: CONTRACT }
      const answer = await create({ escrow: { releaserAddress: RELEASER } })
      expectError(answer, '400 validation_error', PARAM)
      expect(answer.body.error.message).to.include('is a contract on bnb')
      const base = { acceptedPayments: [USDC_BASE], escrow: { releaserAddress: RELEASER } }
      expect((await create(base)).status, 'bnb is not accepted').to.equal(201)
    })

    it('rejects a releaser whose account is delegated to a contract, and states the delegation', async () => {
      codes = { base: DELEGATION }
      const answer = await create({ escrow: {} })
      expectError(answer, '400 validation_error', PARAM)
      expect(answer.body.error.message).to.include('delegated itself to a contract on base (EIP-7702)')
    })

    it('returns rpc_unavailable if a network’s node does not respond', async () => {
      codes = { bnb: 'error' }
      expectError(await create({ escrow: {} }), '503 rpc_unavailable')
    })

    it('reports other errors before it reads the chain', async () => {
      codes = { base: CONTRACT, bnb: 'error' }
      const escrow = {}
      expectError(await create({ escrow, amount: 0 }), '400 validation_error', 'amount')
      const absent = { escrow, acceptedPayments: [USDC_BASE, { token: 'USDC', network: 'optimism' }] }
      expectError(await create(absent), '422 token_not_supported', 'acceptedPayments[1]')
      await api.owner`update pairs set paused_at = now() where token = 'USDT' and network = 'bnb'`
      const paused = await create({ escrow })
      await api.owner`update pairs set paused_at = null`
      expectError(paused, '503 payment_temporarily_unavailable', 'acceptedPayments[1]')
    })

    it('rejects a network that is not an EVM network', async () => {
      const tron = { escrow: {}, acceptedPayments: [{ token: 'USDT', network: 'tron' }] }
      expectError(await create(tron), '400 validation_error', 'escrow')
    })
  })

  for (const action of ESCROW_ACTIONS) {
    const prepare = (id: string, withKey: string | undefined = key) =>
      call(api, `GET /v1/charges/${id}/${action}/prepare`, withKey === undefined ? {} : { key: withKey })
    const order = (id: string, withKey: string | undefined = key, body: object = { signature: '0x00' }) =>
      call(api, `POST /v1/charges/${id}/${action}`, { ...(withKey && { key: withKey }), body })

    describe(`${action} and its prepare endpoint`, () => {
      let id: string

      before(async () => {
        ;({ id } = (await create({ escrow: {} })).body)
      })

      it('require a key with the scope', async () => {
        const { key: reader } = await api.issueKey({ scopes: ['charges:read'] })
        const { key: writer } = await api.issueKey({ scopes: ['charges:write'] })
        expectError(await call(api, `POST /v1/charges/${id}/${action}`), '401 missing_api_key')
        expectError(await prepare(id, writer), '403 insufficient_scope')
        expectError(await order(id, reader), '403 insufficient_scope')
      })

      it('return 404 for charges of another organization or environment and for unknown charges', async () => {
        const { key: stranger } = await api.issueKey({ organization: 'org_two' })
        const { key: test } = await api.issueKey({ environment: 'test' })
        for (const other of [stranger, test]) {
          expectError(await prepare(id, other), '404 charge_not_found')
          expectError(await order(id, other), '404 charge_not_found')
        }
        expectError(await prepare(newId('ch', Date.now())), '404 charge_not_found')
        expectError(await order('ch_none'), '404 charge_not_found')
      })

      it('reject a charge without escrow', async () => {
        const { body } = await create({})
        expectError(await prepare(body.id), '422 escrow_not_enabled')
        expectError(await order(body.id), '422 escrow_not_enabled')
      })

      it('explain in the error for a charge without escrow how to create a charge with escrow', async () => {
        const { body } = await create({})
        const { error } = (await order(body.id)).body
        expect(error.message)
          .to.include('is paid out automatically')
          .and.include('create the next charge with "escrow"')
      })

      it('reject an escrow without credited payments', async () => {
        expectError(await prepare(id), '422 escrow_empty')
        expectError(await order(id), '422 escrow_empty')
      })

      it('return rpc_unavailable if the chain cannot be read', async () => {
        const { body } = await create({ escrow: {} })
        await credit(body.id, 'base')
        expectError(await prepare(body.id), '503 rpc_unavailable')
        expectError(await order(body.id), '503 rpc_unavailable')
      })

      it('reject an escrow that was paid on two pairs', async () => {
        const { body } = await create({ escrow: {} })
        await credit(body.id, 'base')
        await credit(body.id, 'bnb')
        expectError(await prepare(body.id), '422 escrow_multiple_payment_pairs')
        expectError(await order(body.id), '422 escrow_multiple_payment_pairs')
      })

      for (const [column, code] of [
        ['escrow_released_at', '409 escrow_already_released'],
        ['escrow_refunded_at', '409 escrow_already_refunded'],
      ] as const) {
        it(`return ${code} once the charge has ${column}`, async () => {
          const { body } = await create({ escrow: {} })
          await credit(body.id, 'base')
          await api.owner`update charges set ${api.owner(column)} = now() where id = ${body.id}`
          expectError(await prepare(body.id), code)
          expectError(await order(body.id), code)
        })
      }

      it('require a body with one signature in hex', async () => {
        expectError(await order(id, key, {}), '400 validation_error', 'signature')
        expectError(await order(id, key, { signature: 'signed' }), '400 validation_error', 'signature')
        expectError(await order(id, key, { signature: '0x00', x: 1 }), '400 validation_error', 'x')
      })
    })
  }

  async function credit(chargeId: string, network: 'base' | 'bnb'): Promise<void> {
    const [token, chainId] = network === 'base' ? ['USDC', 8453] : ['USDT', 56]
    await api.owner`
      insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, sender,
        value_atomic, amount_atto, accepted, inclusion, block_number, credited_at, on_time)
      select ${chargeId}, network, token, 'contract_watcher', chain_id, token_address, ${newId('evt', Date.now())}, 0,
        ${RELEASER}, 1, 1, true, 'included', 1, now(), true
      from pairs where chain_id = ${chainId} and token = ${token}`
  }
})
