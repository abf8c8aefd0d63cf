import { rm } from 'node:fs/promises'
import { expect } from 'chai'
import { parseUnits, type TransactionReceipt } from 'viem'
import { verifyEvidence } from '../../../api/client/verify-evidence.ts'
import { proveReceipts } from '../../../indexer/evidence/prove-receipts.ts'
import { createChainClient } from '../../../shared/chain/nodes/client.ts'
import { type Address, checksum } from '../../../shared/domain/address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import type { Anvil } from '../../devnet/anvil.ts'
import { ARC_USDC } from '../../devnet/arc/addresses.ts'
import { type ArcWallet, createArcWallet } from '../../devnet/arc/arc-wallet.ts'
import { startArc } from '../../devnet/arc/start-arc.ts'
import { buildTerms } from '../../support/evidence/build-evidence.ts'
import { verifyIndependently } from '../../support/evidence/verify-independently.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const EMITTER = '0xffffFFFfFFffffffffffffffFfFFFfffFFFfFFfE'
const DOLLAR = parseUnits('1', 18)

describe('evidence of payments on arc', function () {
  this.timeout(240_000)
  let directory: string
  let arc: Anvil
  let payer: ArcWallet

  before(async () => {
    directory = await temporaryDirectory('arc-evidence')
    arc = await startArc({ name: 'arc', chainId: 5042, blockMs: 100, directory })
    payer = createArcWallet(arc, ACCOUNTS.payer)
  })
  after(async () => {
    await arc?.stop()
    await rm(directory, { recursive: true })
  })

  const WAYS: Readonly<Record<string, (to: Address) => Promise<TransactionReceipt>>> = {
    'a native transfer': (to) => payer.sendNative(to, 3n * DOLLAR + 1n),
    'an ERC-20 transfer, which two contracts log': (to) => payer.sendToken(to, 5_000_000n),
    'a transfer by a contract': (to) => payer.sendThroughContract(to, DOLLAR),
    'a mint': (to) => payer.mint(to, 1_000_000n),
  }
  for (const [what, send] of Object.entries(WAYS)) {
    it(`proves ${what} to an independent program`, async () => {
      const { address, charge } = buildTerms()
      const receipt = await send(address)
      const evidence = { charge, data: [await describe(receipt, address)] }
      const [independent] = verifyIndependently(evidence, { [checksum(ARC_USDC as Address)]: EMITTER })
      const { verified } = await verifyEvidence(JSON.stringify(evidence), {
        address: charge.address,
        blockHashes: [receipt.blockHash],
      })
      expect(verified[0]?.logs.map(({ amountAtomic }) => BigInt(amountAtomic))).to.deep.equal(
        independent?.found.map(({ amount }) => amount),
      )
      expect(verified[0]?.logs[0]?.of).to.deep.include({
        environment: 'live',
        decimals: 6,
        transferDecimals: 18,
      })
    })
  }

  it("is rejected if it also contains the token's log, which would count the payment twice", async () => {
    const { address, charge } = buildTerms()
    const receipt = await payer.sendToken(address, 5_000_000n)
    const one = await describe(receipt, address)
    const position = receipt.logs.findIndex(
      ({ address: contract }) => contract.toLowerCase() === ARC_USDC.toLowerCase(),
    )
    const logs = [...one.logs, { ...one.logs[0], position, amountAtomic: '5000000' }]
    const text = JSON.stringify({ charge, data: [{ ...one, logs }] })
    const error: unknown = await verifyEvidence(text, {
      address: charge.address,
      blockHashes: [receipt.blockHash],
    }).catch((thrown: unknown) => thrown)
    expect(String(error)).to.include('is of the contract')
  })

  /** Returns the transaction as the service's evidence describes it. */
  async function describe({ transactionHash, blockHash, logs }: TransactionReceipt, to: Address) {
    const client = createChainClient({ chainId: 5042, rpcUrls: [arc.rpcUrl] })
    const { number, timestamp } = await payer.client.getBlock({ blockHash })
    const topic = `0x${to.slice(2).padStart(64, '0')}`
    const credits = logs.flatMap((log, position) => {
      const isCredit = log.address.toLowerCase() === EMITTER.toLowerCase() && log.topics[2] === topic
      return isCredit ? [{ log, position }] : []
    })
    const placed = credits.map(({ log }) => ({ logIndex: log.logIndex, expected: log }))
    const results = await proveReceipts(client, { blockHash, logsOf: new Map([[transactionHash, placed]]) })
    const { proof } = results.get(transactionHash) ?? {}
    return {
      ...{ network: 'arc', chainId: 5042, txHash: transactionHash, reason: null },
      block: {
        number: Number(number),
        hash: blockHash,
        time: new Date(Number(timestamp) * 1_000).toISOString(),
      },
      logs: credits.map(({ log, position }) => ({
        ...{ kind: 'credit', position, token: 'USDC', tokenAddress: checksum(ARC_USDC as Address) },
        party: checksum(`0x${String(log.topics[1]).slice(26)}` as Address),
        ...{ amountAtomic: String(BigInt(log.data)), agreedAt: null, agreedBy: [] },
      })),
      proof: proof && {
        header: proof.header,
        transactionIndex: proof.transactionIndex,
        receiptNodes: proof.nodes,
      },
    }
  }
})
