import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  multicall3Abi,
  parseAbi,
  publicActions,
} from 'viem'
import { foundry } from 'viem/chains'
import tokenArtifact from '../../../contracts/artifacts/TestToken.json' with { type: 'json' }
import { decodeReceipt } from '../../../indexer/chain-feed/decode-receipt.ts'
import { observeTransfers, type WatchedDeployment } from '../../../indexer/chain-feed/observe.ts'
import { deployFactory } from '../../../shared/chain/contracts/deploy-factory.ts'
import { createChainClient } from '../../../shared/chain/nodes/client.ts'
import { readCanonicalReceipt } from '../../../shared/chain/nodes/receipts.ts'
import { waitForReceipt } from '../../../shared/chain/nodes/wait-for-receipt.ts'
import type { Address } from '../../../shared/domain/address.ts'
import type { Split } from '../../../shared/domain/allocation.ts'
import { encodeDistribution } from '../../../shared/domain/distribution-call.ts'
import { predictSafeAddress } from '../../../shared/domain/escrow-address.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../../shared/domain/split-address.ts'
import { ACCOUNTS, toSigner } from '../../devnet/accounts.ts'
import { type Anvil, startAnvil } from '../../devnet/anvil.ts'
import { deployMulticall3 } from '../../devnet/deploy.ts'
import { address } from '../../support/api.ts'
import { paidByOthers } from '../../support/payment-invariants.ts'
import { createRandom } from '../../support/seeded-random.ts'

/** Seed of the run. The title contains it, so that a failure can be repeated. */
const SEED = 20_261_122
const CHARGES = process.env['TEST_LONG'] ? 400 : 60 // oxlint-disable-line no-process-env -- the duration is a setting of the run
/** Charges that one transaction pays, few enough for the gas limit of a transaction (EIP-7825). */
const CHARGES_PER_TRANSACTION = 20
const MULTICALL: Address = address('0xca11bde05977b3631167028862be2a173976ca11')
const MINT = parseAbi(['function mint(address to, uint256 amount)'])

type Call = { readonly target: Address; readonly callData: Hex }

type Charge = {
  readonly id: string
  /** Payment address of the charge: its split, or a Safe in front of the split. */
  readonly address: Address
  readonly splitAddress: Address
  readonly split: Split
  /** The amount of each payment. */
  readonly amount: bigint
  readonly environment: 'live'
  readonly acceptedPayments: readonly string[]
}

describe(`${CHARGES} charges that are named as their own distributor, seed ${SEED}`, function () {
  this.timeout(240_000)

  const random = createRandom(SEED)
  const charges = Array.from({ length: CHARGES }, (_, index) => anyCharge(`ch_own_money_${index}`))
  let directory: string
  let anvil: Anvil
  let wallet: ReturnType<typeof connectWallet>
  let token: Address

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'own-money-'))
    anvil = await startAnvil({ name: 'laws', chainId: foundry.id, directory })
    wallet = connectWallet(anvil)
    const client = createChainClient({ chainId: foundry.id, rpcUrls: [anvil.rpcUrl] })
    await deployFactory(client, toSigner(ACCOUNTS.deployer))
    await deployMulticall3(anvil)
    const { abi, bytecode } = tokenArtifact as unknown as { abi: []; bytecode: Hex }
    const hash = await wallet.deployContract({ abi, bytecode, args: ['Token', 'TKN', 6] as never })
    const { contractAddress } = await waitForReceipt(wallet, hash, { timeoutMs: 30_000 })
    token = address(contractAddress?.toLowerCase() ?? '')
  })

  after(async () => {
    await anvil?.stop()
    await rm(directory, { recursive: true, force: true })
  })

  it('are credited with exactly the payments of other accounts', async () => {
    let cameBack = 0
    for (let from = 0; from < charges.length; from += CHARGES_PER_TRANSACTION) {
      const some = charges.slice(from, from + CHARGES_PER_TRANSACTION)
      const transfers = await payAndDistribute(some)
      const logs = transfers.map(({ sender, recipient, value }) => ({ from: sender, to: recipient, value }))
      const observed = observeTransfers(transfers, deployment(), some)
      for (const charge of some) {
        const credited = observed
          .filter(({ chargeId, rejectionReason }) => chargeId === charge.id && rejectionReason === null)
          .reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n)
        expect(credited, JSON.stringify(charge.split)).to.equal(paidByOthers(logs, charge))
        expect(credited, 'paid twice').to.equal(2n * charge.amount)
      }
      cameBack += observed.filter(({ rejectionReason }) => rejectionReason === 'own_money').length
    }
    expect(cameBack, 'incentives that returned to Safes').to.be.greaterThan(CHARGES / 4)
  })

  it('pay no incentive to a split that is named as its own distributor', async () => {
    const plain = charges.filter(({ address: paidAt, splitAddress }) => paidAt === splitAddress)
    const transfers = await payAndDistribute(plain.slice(0, CHARGES_PER_TRANSACTION))
    expect(transfers.filter(({ sender, recipient }) => sender === recipient)).to.deep.equal([])
    for (const { splitAddress } of plain.slice(0, CHARGES_PER_TRANSACTION)) {
      const left = await wallet.readContract({
        ...{ address: token, abi: parseAbi(['function balanceOf(address) view returns (uint256)']) },
        ...{ functionName: 'balanceOf', args: [splitAddress] },
      })
      expect(left).to.equal(0n)
    }
  })

  /** Pays and distributes each charge twice, with its payment address as distributor. Returns all transfers. */
  async function payAndDistribute(some: readonly Charge[]) {
    const calls = some.flatMap((charge) => {
      const { address: paidAt, splitAddress, split, id, amount } = charge
      const data = encodeDistribution({ split, salt: chargeSalt(id), token, distributor: paidAt })
      // A payment into a Safe would later be released. Here the split receives the same amount immediately.
      const mints = [...new Set([paidAt, splitAddress])].map((to) => ({
        ...{ target: token, callData: encodeFunctionData({ abi: MINT, args: [to, amount] }) },
      }))
      const round: readonly Call[] = [...mints, { target: SPLIT_FACTORY, callData: data }]
      return [...round, ...round]
    })
    const hash = await wallet.writeContract({
      ...{ address: MULTICALL, abi: multicall3Abi, functionName: 'aggregate3' },
      args: [calls.map((call) => ({ ...call, allowFailure: false }))],
    })
    await waitForReceipt(wallet, hash, { timeoutMs: 30_000 })
    const client = createChainClient({ chainId: foundry.id, rpcUrls: [anvil.rpcUrl] })
    const receipt = await readCanonicalReceipt(client, hash)
    if (receipt === null) throw new Error(`${hash} did not succeed`)
    return decodeReceipt(receipt).transfers
  }

  function deployment(): WatchedDeployment {
    const watched = {
      token: 'USDC',
      address: token,
      emitter: token,
      decimals: 6,
      emitterDecimals: 6,
    } as const
    return { chainId: foundry.id, network: 'base', environment: 'live', tokens: [watched] }
  }

  /** Creates a random charge: one to five recipients, with or without a Safe, and an amount from dust to millions. */
  function anyCharge(id: string): Charge {
    const count = 1 + random.integer(5)
    const others = Array.from({ length: count - 1 }, () => 1 + random.integer(150_000))
    const split = {
      recipients: Array.from({ length: count }, (_, index) => anyAddress(`${id}/${index}`)),
      allocations: [1_000_000 - others.reduce((sum, allocation) => sum + allocation, 0), ...others],
      totalAllocation: 1_000_000,
      distributionIncentive: random.pick([0, 1000, 50_000]),
    }
    const splitAddress = predictSplitAddress({
      ...{ factory: SPLIT_FACTORY, implementation: SPLIT_IMPLEMENTATION, split, salt: chargeSalt(id) },
    })
    const safe = predictSafeAddress({ releaser: anyAddress('releaser'), saltNonce: chargeSalt(id) })
    const amount = BigInt(Math.floor(10 ** (random.fraction() * 13))) + 1n
    const paidAt = random.fraction() < 0.6 ? safe : splitAddress
    return {
      ...{ id, address: paidAt, splitAddress, split, amount },
      ...{ environment: 'live', acceptedPayments: ['USDC/base'] },
    }
  }
})

function anyAddress(seed: string): Address {
  return address(`0x${chargeSalt(seed).slice(-40)}`)
}

function connectWallet({ rpcUrl }: Anvil) {
  return createWalletClient({
    account: toSigner(ACCOUNTS.deployer),
    chain: foundry,
    transport: http(rpcUrl),
    pollingInterval: 20,
  }).extend(publicActions)
}
