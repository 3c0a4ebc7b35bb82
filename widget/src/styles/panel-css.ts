/** The panel's style sheets in the order they build on each other; the devices have the last word. */
import answer from './answer.css?inline';
import codeColors from './code-colors.css?inline';
import composer from './composer.css?inline';
import context from './context.css?inline';
import conversation from './conversation.css?inline';
import devices from './devices.css?inline';
import layouts from './layouts.css?inline';
import menu from './menu.css?inline';
import palette from './palette.css?inline';
import panel from './panel.css?inline';
import sources from './sources.css?inline';
import suggestions from './suggestions.css?inline';

export const panelCss =
  palette +
  panel +
  menu +
  conversation +
  answer +
  sources +
  suggestions +
  codeColors +
  composer +
  context +
  layouts +
  devices;
