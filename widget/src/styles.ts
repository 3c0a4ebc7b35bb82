/** The panel's style sheets in the order they build on each other; the devices have the last word. */
import answer from './styles/answer.css?inline';
import codeColours from './styles/code-colours.css?inline';
import composer from './styles/composer.css?inline';
import context from './styles/context.css?inline';
import conversation from './styles/conversation.css?inline';
import devices from './styles/devices.css?inline';
import layouts from './styles/layouts.css?inline';
import menu from './styles/menu.css?inline';
import palette from './styles/palette.css?inline';
import panel from './styles/panel.css?inline';
import sources from './styles/sources.css?inline';
import suggestions from './styles/suggestions.css?inline';

export const panelCss =
  palette +
  panel +
  menu +
  conversation +
  answer +
  sources +
  suggestions +
  codeColours +
  composer +
  context +
  layouts +
  devices;
