import { checksum } from '../../../shared/domain/address.ts'
import { findChain } from '../list-payments.ts'
import { listEscrowTexts } from '../list-script-texts.ts'
import type { EscrowPageData, PageOrder } from '../page-data.ts'
import type { EscrowPageAt } from './escrow-page-at.ts'
import type { EscrowView, HeldEscrow } from './view-escrow.ts'

export function buildEscrowPageData(view: EscrowView, at: EscrowPageAt): EscrowPageData {
  const { words, checkout, releaserAddress } = at
  const page = { language: words.language, texts: listEscrowTexts(words.language) }
  if (view.state !== 'held') return { ...page, escrow: null }
  const { network, token } = view.pair
  const { chainId } = view
  const { environment } = checkout
  return {
    ...page,
    escrow: {
      ...{ family: checkout.family, chainId, chain: findChain({ network, environment, chainId }) },
      network: words.network(network, environment),
      releaser: checksum(releaserAddress),
      shownAmount: `${words.number(view.amount)} ${token}`,
      orders: {
        release: selectOrder(view.orders.release),
        refund: view.orders.refund && selectOrder(view.orders.refund),
      },
    },
  }
}

function selectOrder({ destination, amount, typedData }: HeldEscrow['orders']['release']): PageOrder {
  return { destination, amount, typedData }
}
