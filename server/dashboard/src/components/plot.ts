/** What draws charts: a file of its own, loaded by the first chart. */
import 'uplot/dist/uPlot.min.css';
export { default as uPlot } from 'uplot';
