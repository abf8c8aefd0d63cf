import { findWords } from './words.ts'

/**
 * Creates the dialog, with a close button and the frame.
 *
 * Styles are set on the elements, because a merchant's content security policy might forbid style elements. They start
 * from `initial`, so that the merchant's own styles do not apply.
 */
export function createDialog(url: string): {
  readonly dialog: HTMLDialogElement
  readonly frame: HTMLIFrameElement
} {
  const [title, close] = findWords(document.documentElement.lang || navigator.language)
  const dialog = create('dialog', DIALOG)
  const panel = create('div', PANEL)
  const button = create('button', BUTTON)
  const frame = create('iframe', FRAME)
  dialog.setAttribute('aria-label', title)
  button.setAttribute('aria-label', close)
  button.textContent = '×'
  button.addEventListener('click', () => dialog.close())
  frame.title = title
  frame.allow = 'clipboard-write'
  frame.referrerPolicy = 'no-referrer'
  frame.src = url
  panel.append(button, frame)
  dialog.append(panel)
  return { dialog, frame }
}

function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  style: string,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  element.style.cssText = `all:initial;color-scheme:light dark;${style}`
  return element
}

/** The dialog element covers the window, because `::backdrop` can be styled only by a style element. */
const DIALOG =
  'position:fixed;inset:0;display:flex;align-items:center;justify-content:center;background:#0009'
/** On a phone the panel fills the window. */
const PANEL =
  'display:flex;flex-direction:column;width:min(480px,100%);height:min(832px,100%);background:Canvas;overflow:hidden;border-radius:clamp(0px,100vw - 480px,12px)'
const BUTTON =
  'align-self:flex-end;flex:none;width:44px;font:28px/44px sans-serif;text-align:center;color:CanvasText;cursor:pointer;outline:revert;outline-offset:-4px'
const FRAME = 'flex:1;min-height:0;width:100%'
