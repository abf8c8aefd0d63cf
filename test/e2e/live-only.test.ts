import { expect } from 'chai'
import { Wallet } from 'ethers'
import { createClient, type Hex, http } from 'viem'
import { sign as signHash } from 'viem/accounts'
import { requireData } from '../../api/client/client.ts'
import { ACCOUNTS, toSigner } from '../devnet/accounts.ts'
import { createApiCaller } from '../devnet/call-api.ts'
import type { Devnet } from '../devnet/devnet.ts'
import {
  CONFIRMED,
  createEscrow,
  type EscrowChargeJson,
  order,
  type PreparedJson,
  prepare,
  SETTLED,
  waitForEscrow,
} from '../support/escrow-scenario.ts'
import { LIVE_DEVNET } from '../support/live-devnet.ts'
import { hashRawTypedData, type RawTypedData } from '../support/raw-eip712.ts'
import { pay, USDC_ON_BASE } from '../support/scenario.ts'

const { releaser, payer2 } = ACCOUNTS

describe('an installation with only live networks, end to end', function () {
  this.timeout(300_000)
  let devnet: Devnet

  before(async () => {
    devnet = (await LIVE_DEVNET.of(import.meta.filename)).devnet
  })

  it('creates, confirms and releases an escrow charge of a test key, and refunds a second escrow charge', async () => {
    const released = await createTestEscrow()
    await trigger(released, { event: 'charge.confirmed' })
    const signature = await signTest(released, 'release')
    const answer = await test().POST('/v1/charges/{id}/release', { ...at(released), body: { signature } })
    expect(answer.data).to.deep.include({ status: 'confirmed', settlementStatus: 'pending' })
    expect(answer.data?.escrow).to.include({ refundedAt: null, pendingAction: null })
    const settled = await trigger(released, { event: 'charge.settled' })
    expect(settled.settlementStatus).to.equal('completed')
    expect(settled.escrow?.releasedAt).to.be.a('string')

    const refunded = await createTestEscrow()
    await trigger(refunded, { event: 'charge.confirmed', from: payer2.address.toLowerCase() })
    const { destination } = await requireData(test().GET('/v1/charges/{id}/refund/prepare', at(refunded)))
    expect(destination).to.equal(payer2.address)
    const body = { signature: await signTest(refunded, 'refund') }
    const charge = await requireData(test().POST('/v1/charges/{id}/refund', { ...at(refunded), body }))
    expect(charge.escrow?.refundedAt).to.be.a('string')
  })

  it('accepts release signatures of viem, ethers, a wallet and plain EIP-712, over typed data with or without EIP712Domain', async () => {
    const signers = Object.entries(SIGNERS)
    const charges: EscrowChargeJson[] = []
    for (const _ of signers) {
      const charge = await createEscrow(devnet)
      await pay(devnet, { charge })
      charges.push(charge)
    }
    const rpcUrl = devnet.description.networks.base?.live?.rpcUrl ?? ''
    const releases = signers.map(async ([name, signWith], index) => {
      const { id } = charges[index] ?? { id: '' }
      await waitForEscrow(devnet, id, CONFIRMED)
      const { body: prepared } = await prepare(devnet, id, 'release')
      const signature = await signWith(prepared, rpcUrl)
      const { status, body } = await order(devnet, id, { action: 'release', signature })
      expect(status, `${name}: ${JSON.stringify(body)}`).to.equal(200)
      await waitForEscrow(devnet, id, SETTLED)
    })
    await Promise.all(releases)
  })

  const test = () => createApiCaller(devnet.description, 'test')
  const at = (id: string) => ({ params: { path: { id } } })

  async function createTestEscrow(): Promise<string> {
    const escrow = { releaserAddress: releaser.address.toLowerCase() }
    const body = { amount: 10, expiresIn: 600, acceptedPayments: [USDC_ON_BASE], escrow }
    return (await requireData(test().POST('/v1/charges', { body }))).id
  }

  function trigger(id: string, body: { event: 'charge.confirmed' | 'charge.settled'; from?: string }) {
    return requireData(test().POST('/v1/sandbox/charges/{id}/trigger', { ...at(id), body }))
  }

  async function signTest(id: string, action: 'release' | 'refund'): Promise<Hex> {
    const prepared = await requireData(test().GET(`/v1/charges/{id}/${action}/prepare`, at(id)))
    return toSigner(releaser).signTypedData(prepared.typedData as never)
  }
})

/** Ways to sign the prepared typed data, with and without `EIP712Domain` among its types. */
const SIGNERS: Readonly<Record<string, (prepared: PreparedJson, rpcUrl: string) => Promise<Hex>>> = {
  'viem, with EIP712Domain': ({ typedData }) => toSigner(releaser).signTypedData(typedData as never),
  'viem, without EIP712Domain': ({ typedData }) =>
    toSigner(releaser).signTypedData(withoutDomain(typedData) as never),
  'ethers, which accepts only typed data without EIP712Domain': async ({ typedData }) => {
    const wallet = new Wallet(releaser.privateKey)
    const { domain, types, message } = withoutDomain(typedData)
    const all = wallet.signTypedData(domain, typedData.types as never, message)
    expect(await all.catch((error: Error) => error.message)).to.include('ambiguous primary types')
    return (await wallet.signTypedData(domain, types as never, message)) as Hex
  },
  'plain EIP-712, with EIP712Domain': ({ typedData }) => signRaw(typedData as never),
  'plain EIP-712, without EIP712Domain': ({ typedData }) => signRaw(withoutDomain(typedData) as never),
  'a wallet, by eth_signTypedData_v4 with the unchanged JSON': ({ typedData }, rpcUrl) =>
    createClient({ transport: http(rpcUrl) }).request({
      method: 'eth_signTypedData_v4',
      params: [releaser.address, typedData as never],
    }),
}

function withoutDomain(typedData: PreparedJson['typedData']) {
  const { EIP712Domain: _, ...types } = typedData.types
  return { ...typedData, types }
}

function signRaw(typedData: RawTypedData): Promise<Hex> {
  return signHash({ hash: hashRawTypedData(typedData), privateKey: releaser.privateKey, to: 'hex' })
}
